/**
 * How the service itself sorts header names: by the culture of the machines it first ran on, where "-" and
 * "'" weigh nothing and "_" comes before digits. Current SDKs copy that order; older ones, and hand-written
 * clients, sort by character code. The two differ only for metadata names such as `foo_bar` and `foo2_bar`.
 * (Azure/azure-sdk-for-net#41328, Azure/azure-sdk-for-python#10277)
 */
const ORDER = "!#$%&*.^_`|~+0123456789abcdefghijklmnopqrstuvwxyz";
const WEIGHTLESS = /[-']/g;

export function compareHeaderNames(one: string, two: string): number {
  return (
    compareWeights(one.replaceAll(WEIGHTLESS, ""), two.replaceAll(WEIGHTLESS, "")) || compareGaps(one, two)
  );
}

function compareWeights(one: string, two: string): number {
  const shared = Math.min(one.length, two.length);
  for (let at = 0; at < shared; at++) {
    const difference = ORDER.indexOf(one[at]!) - ORDER.indexOf(two[at]!);
    if (difference !== 0) return difference;
  }
  return one.length - two.length;
}

/** Names alike but for weightless characters: the one whose first comes earlier goes last, "'" before "-". */
function compareGaps(one: string, two: string): number {
  for (let at = 0; at < one.length || at < two.length; at++) {
    const difference = gapAt(one, at) - gapAt(two, at);
    if (difference !== 0) return difference;
  }
  return 0;
}

function gapAt(name: string, at: number): number {
  return "'-".indexOf(name[at] ?? " ") + 1;
}
