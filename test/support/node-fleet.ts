import { type Program, startProgram } from "../kit/program.ts";
import type { WirePorts } from "./wire-client.ts";

const SERVICES = ["blob", "queue", "table", "file", "admin"] as const;

interface Member {
  program: Program | undefined;
  ports: Program["ports"] | undefined;
  starting: Promise<void> | undefined;
}

/** Several nodes on one database, to be killed and started again under their clients; each keeps its ports. */
export class NodeFleet {
  readonly #address: string;
  readonly #members: Member[];
  #turn = 0;

  constructor(address: string, nodes: number) {
    this.#address = address;
    this.#members = Array.from({ length: nodes }, () => ({
      program: undefined,
      ports: undefined,
      starting: undefined,
    }));
  }

  /** Another node each time: connections are spread over all of them. */
  get ports(): WirePorts {
    this.#turn = (this.#turn + 1) % this.#members.length;
    return this.#members[this.#turn]!.ports!;
  }

  get programs(): Program[] {
    return this.#members.flatMap(({ program }) => program ?? []);
  }

  async start(): Promise<void> {
    await Promise.all(this.#members.map((member) => this.#startOne(member)));
  }

  #startOne(member: Member): Promise<void> {
    if (member.program !== undefined) return Promise.resolve();
    member.starting ??= this.#launch(member).finally(() => {
      member.starting = undefined;
    });
    return member.starting;
  }

  async #launch(member: Member): Promise<void> {
    const { ports } = member;
    const kept =
      ports === undefined ? [] : SERVICES.flatMap((name) => [`--${name}Port`, String(ports[name])]);
    member.program = await startProgram(["--store", this.#address, "--silent", ...kept]);
    member.ports = member.program.ports;
  }

  /** One node, without a word; another takes its place and its ports. */
  killOne(choice: number): void {
    const member = this.#members[Math.floor(choice * this.#members.length)]!;
    const { program } = member;
    if (program === undefined) return;
    member.program = undefined;
    member.starting = program
      .stop("SIGKILL")
      .then(() => this.#launch(member))
      .finally(() => {
        member.starting = undefined;
      });
  }

  async killAll(): Promise<void> {
    await this.stop("SIGKILL");
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    await Promise.all(
      this.#members.map(async (member) => {
        await member.starting?.catch(() => {});
        const { program } = member;
        member.program = undefined;
        await program?.stop(signal);
      }),
    );
  }
}
