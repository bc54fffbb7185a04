/** Progress of a command on standard error: a bar on a terminal, a few lines elsewhere. */
export interface ProgressStep {
  readonly phase: string;
  readonly done: number;
  /** undefined while the total is not known. */
  readonly total: number | undefined;
}

/** Without a unit only the share is shown. */
export function showProgress(unitOf: (phase: string) => string | undefined): (step: ProgressStep) => void {
  return process.stderr.isTTY ? drawBar(unitOf) : printLines(unitOf);
}

const BAR_CHARS = 30;

function printStep({ phase, done, total }: ProgressStep, unit: string | undefined): string {
  if (total === undefined) return `${phase}: ${done} ${unit ?? ""}`;
  const share = total === 0 ? 1 : done / total;
  const filled = "#".repeat(Math.round(share * BAR_CHARS)).padEnd(BAR_CHARS, ".");
  const bar = `${phase}: [${filled}] ${Math.floor(share * 100)}%`;
  return unit === undefined ? bar : `${bar} of ${total} ${unit}`;
}

function drawBar(unitOf: (phase: string) => string | undefined): (step: ProgressStep) => void {
  return (step) => process.stderr.write(`\r\x1b[K${printStep(step, unitOf(step.phase))}`);
}

/** A line for each tenth, or for each 100,000 while the total is unknown. */
function printLines(unitOf: (phase: string) => string | undefined): (step: ProgressStep) => void {
  let last = "";
  return (step) => {
    const { phase, done, total } = step;
    const mark = `${phase} ${total === undefined ? Math.floor(done / 100_000) : Math.floor((done * 10) / (total || 1))}`;
    if (mark === last) return;
    last = mark;
    process.stderr.write(`${printStep(step, unitOf(phase))}\n`);
  };
}
