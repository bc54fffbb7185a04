/**
 * The operator must change a setting before Holdfast can start: a flag, an environment variable, or a file
 * that one of them names. The message is one line that names the setting and what is expected; `main` prints
 * it and exits with `exitCode`.
 */
export class ConfigError extends Error {
  override readonly name: string = "ConfigError";
  readonly exitCode: number = 2;

  /** `--workers: expected 1 with --inMemory`, or one whole sentence. */
  constructor(setting: string, expected?: string) {
    super((expected === undefined ? setting : `${setting}: ${expected}`).replace(/\s*\n\s*/g, " "));
  }
}

/** The settings are well formed, but would give everyone access; a flag of its own must allow that. */
export class UnsafeConfig extends ConfigError {
  override readonly name = "UnsafeConfig";
  override readonly exitCode = 1;
}
