import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** How much larger the process has been than at the start, and the largest that `measure` has found. */
export class Growth {
  readonly #before: number;
  readonly #measure: () => number;
  readonly #timer: NodeJS.Timeout;
  residentBytes = 0;
  measured = 0;

  constructor(measure: () => number) {
    collectGarbage();
    this.#before = process.memoryUsage.rss();
    this.#measure = measure;
    this.#timer = setInterval(() => this.#look(), 20);
  }

  #look(): void {
    this.residentBytes = Math.max(this.residentBytes, process.memoryUsage.rss() - this.#before);
    this.measured = Math.max(this.measured, this.#measure());
  }

  end(): void {
    clearInterval(this.#timer);
    this.#look();
  }
}
