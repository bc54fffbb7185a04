import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { runProgram } from "../kit/run-program.ts";

/**
 * Linux's own SMB client without a machine of its own: the kernel Debian packages, started in an emulator
 * with an initial file system made here of busybox, the modules for cifs, and a script.
 */
const KERNEL_PACK = "linux-image-cloud-amd64";
/** Parts of the module tree that hold cifs, the network card and everything either of them may ask for. */
const MODULE_FOLDERS = [
  "kernel/fs/smb",
  "kernel/fs/netfs",
  "kernel/fs/fscache",
  "kernel/net/dns_resolver",
  "kernel/net/core",
  "kernel/drivers/net/net_failover.ko",
  "kernel/drivers/net/virtio_net.ko",
  "kernel/drivers/virtio",
  "kernel/crypto",
  "kernel/arch/x86/crypto",
  "kernel/lib",
];
/** Of the system: busybox has no flock, and shows no extended attributes. */
const LIBRARIES = [
  "/lib64/ld-linux-x86-64.so.2",
  "/lib/x86_64-linux-gnu/libc.so.6",
  "/usr/bin/flock",
  "/usr/bin/setfattr",
  "/usr/bin/getfattr",
];
const BOOT_MILLIS = 10 * 60_000;

async function must(program: string, args: readonly string[], directory: string): Promise<string> {
  const { code, output } = await runProgram(program, args, { directory, timeoutMillis: BOOT_MILLIS });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${output.slice(-1_000)}`);
  return output;
}

/** Fetches and unpacks the kernel into `folder`; a second call finds it there. */
export async function fetchKernel(folder: string): Promise<string> {
  const tree = join(folder, "kernel");
  if (existsSync(join(tree, "boot"))) return tree;
  mkdirSync(folder, { recursive: true });
  const depends = await must("apt-cache", ["depends", KERNEL_PACK], folder);
  const pack = /Depends: (linux-image-\S+)/.exec(depends)?.[1];
  if (pack === undefined) throw new Error(`no kernel behind ${KERNEL_PACK}: ${depends}`);
  await must("apt-get", ["download", pack], folder);
  const file = readdirSync(folder).find((name) => name.startsWith(pack) && name.endsWith(".deb"))!;
  await must("dpkg-deb", ["-x", file, tree], folder);
  return tree;
}

/** Boots the kernel with a script as its first process; returns what it printed. */
export async function runInKernel(kernel: string, folder: string, script: string): Promise<string> {
  const version = readdirSync(join(kernel, "lib/modules"))[0]!;
  const root = join(folder, "root");
  mkdirSync(join(root, "bin"), { recursive: true });
  for (const part of MODULE_FOLDERS) {
    const from = join(kernel, "lib/modules", version, part);
    if (existsSync(from)) cpSync(from, join(root, "lib/modules", version, part), { recursive: true });
  }
  await must("busybox", ["depmod", "-b", root, version], folder);
  cpSync("/bin/busybox", join(root, "bin/busybox"), { dereference: true });
  for (const path of LIBRARIES) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(path, join(root, path), { dereference: true });
  }
  writeFileSync(join(root, "init"), script, { mode: 0o755 });
  const initrd = join(folder, "initrd.gz");
  writeFileSync(initrd, gzipSync(archiveOf(root), { level: 1 }));
  const { output } = await runProgram(
    "qemu-system-x86_64",
    [
      ...["-accel", "tcg", "-cpu", "max", "-m", "768", "-nographic", "-no-reboot"],
      ...["-kernel", join(kernel, "boot", `vmlinuz-${version}`), "-initrd", initrd],
      ...["-append", "console=ttyS0 quiet panic=-1", "-nic", "user,model=virtio-net-pci"],
    ],
    { directory: folder, timeoutMillis: BOOT_MILLIS },
  );
  return output;
}

/**
 * The "newc" form of cpio, which the kernel unpacks: text headers, names and contents on boundaries of four.
 */
function archiveOf(root: string): Buffer {
  const chunks: Buffer[] = [];
  let inode = 0;
  const add = (name: string, mode: number, data: Buffer): void => {
    const fields = [++inode, mode, 0, 0, 1, 0, data.length, 0, 0, 0, 0, name.length + 1, 0];
    const head = `070701${fields.map((value) => value.toString(16).padStart(8, "0")).join("")}${name}\0`;
    chunks.push(
      Buffer.from(head, "latin1"),
      Buffer.alloc(-head.length & 3),
      data,
      Buffer.alloc(-data.length & 3),
    );
  };
  for (const name of ["dev", "proc", "sys", "mnt", "mnt2", "tmp"]) add(name, 0o040755, Buffer.alloc(0));
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (entry.isDirectory()) add(name, 0o040755, Buffer.alloc(0));
    else add(name, 0o100755, readFileSync(path));
  }
  add("TRAILER!!!", 0, Buffer.alloc(0));
  return Buffer.concat(chunks);
}
