import { join } from "node:path";
import { installMissing, thisSystem } from "../../scripts/test/programs.ts";
import { SMB_ACCOUNT, SMB_PASSWORD, startSmbServer } from "../kit/smb-server.ts";
import { fetchKernel, runInKernel } from "../support/kernel-client.ts";
import type { Proof } from "../support/proof.ts";

const NEEDED = [
  { program: "qemu-system-x86_64", pack: "qemu-system-x86", why: "emulates a machine for a kernel" },
  { program: "busybox", pack: "busybox-static", why: "the programs inside of it" },
  { program: "getfattr", pack: "attr", why: "extended attributes inside of it" },
];

/** How the share is mounted, one after the other. */
const MOUNTS: readonly { readonly name: string; readonly options: string }[] = [
  { name: "2.1", options: "vers=2.1,sign" },
  { name: "3.0", options: "vers=3.0,sign" },
  { name: "3.0-seal", options: "vers=3.0,seal" },
  { name: "3.1.1", options: "vers=3.1.1,sign" },
  { name: "3.1.1-seal", options: "vers=3.1.1,seal" },
];

/**
 * Copies a tree there and compares, gives it extended attributes, renames, truncates, appends, locks from a
 * second connection, removes.
 */
function script(port: number, files: number): string {
  const login = `username=${SMB_ACCOUNT},password=${SMB_PASSWORD},port=${port},ip=10.0.2.2,nosharesock,actimeo=0`;
  const mount = (at: string, options: string): string =>
    `mount -t cifs //10.0.2.2/work ${at} -o ${login},${options}`;
  const steps = MOUNTS.map(
    ({ name, options }) => `
step ${name}-mount ${mount("/mnt", options)} && step ${name}-second ${mount("/mnt2", options)} && {
  step ${name}-copy cp -r /tmp/tree /mnt/tree
  step ${name}-compare diff -r /tmp/tree /mnt/tree
  step ${name}-second-view diff -r /tmp/tree /mnt2/tree
  step ${name}-attribute /usr/bin/setfattr -n user.Colour -v blue /mnt/tree/d0/f0
  step ${name}-directory-attribute /usr/bin/setfattr -n user.kind -v folder /mnt/tree/d0
  step ${name}-rename mv /mnt/tree/d0 /mnt/tree/moved
  step ${name}-renamed diff -r /tmp/tree/d0 /mnt/tree/moved
  step ${name}-attribute-kept shows blue user.Colour /mnt2/tree/moved/f0
  step ${name}-directory-attribute-kept shows folder user.kind /mnt2/tree/moved
  step ${name}-attribute-removed /usr/bin/setfattr -x user.Colour /mnt2/tree/moved/f0
  step ${name}-attribute-gone not shows blue user.Colour /mnt/tree/moved/f0
  echo tail >> /mnt/tree/moved/f0; step ${name}-append grep -q tail /mnt2/tree/moved/f0
  step ${name}-truncate truncate -s 5 /mnt/tree/moved/f0
  step ${name}-truncated test $(stat -c %s /mnt2/tree/moved/f0) = 5
  flock -n /mnt/tree/lock sleep 4 & sleep 1
  step ${name}-locked not flock -n /mnt2/tree/lock true
  wait; step ${name}-unlocked flock -n /mnt2/tree/lock true
  step ${name}-remove rm -r /mnt/tree
  step ${name}-removed not test -e /mnt2/tree
  step ${name}-space df /mnt
  umount /mnt2; umount /mnt
}`,
  );
  return `#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
echo /bin/modprobe > /proc/sys/kernel/modprobe
for module in virtio_pci virtio_net cifs cmac ccm gcm aes_generic sha512_generic; do modprobe $module; done
ifconfig lo up; ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up; route add default gw 10.0.2.2
not() { ! "$@"; }
shows() { test "$(/usr/bin/getfattr --only-values -n $2 $3)" = $1; }
step() { name=$1; shift; if "$@" > /tmp/said 2>&1; then echo "OK $name"; else echo "BAD $name: $(head -c 300 /tmp/said | tr '\\n' ' ') $(dmesg | tail -n 3 | tr '\\n' ' ')"; return 1; fi; }
for i in $(seq 0 ${files - 1}); do d=/tmp/tree/d$((i % 5)); mkdir -p $d; head -c $((i * 997 % 60000 + 1)) /dev/urandom > $d/f$i; done
head -c 3000001 /dev/urandom > /tmp/tree/large
: > /tmp/tree/lock
${steps.join("\n")}
echo ALL-DONE
poweroff -f
`;
}

export const proof: Proof = {
  name: "smb-kernel",
  what: "Linux mounts a share (2.1, 3.0, 3.1.1, encrypted) and copies, compares, marks, renames, locks and removes a tree",
  minutes: 2,
  async run({ length, progress, directory }) {
    if (length === "quick")
      return {
        ok: true,
        isNotRun: true,
        summary: "not in the quick run: a kernel has to start in an emulator",
      };
    progress(installMissing(NEEDED, thisSystem));
    const missing = NEEDED.filter(({ program }) => !thisSystem.has(program));
    if (missing.length > 0)
      return { ok: true, summary: `not run: ${missing[0]!.program} could not be installed` };
    progress("fetching the kernel");
    const kernel = await fetchKernel(join(directory, "kernel"));
    const server = await startSmbServer();
    try {
      progress("the kernel boots in an emulator: this takes minutes");
      const output = await runInKernel(kernel, directory, script(server.port, length === "long" ? 200 : 20));
      const lines = output.split(/\r?\n/);
      const bad = lines.filter((line) => line.startsWith("BAD "));
      const good = lines.filter((line) => line.startsWith("OK ")).length;
      for (const line of bad) progress(line);
      const hasEnded = lines.includes("ALL-DONE");
      if (!hasEnded) progress(output.slice(-2_000));
      const summary = `${good} steps good, ${bad.length} bad over ${MOUNTS.map(({ name }) => name).join(", ")}`;
      return { ok: hasEnded && bad.length === 0, summary: hasEnded ? summary : `${summary}; it did not end` };
    } finally {
      await server.close();
    }
  },
};
