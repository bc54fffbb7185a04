/**
 * The operator must mend something before Holdfast can start: a flag, an environment variable, a file one of
 * them names. The message is one line that names it and says what is expected; `main` prints it and exits
 * with
 * `exitCode`.
 */
export class ConfigError extends Error {
  override readonly name: string = "ConfigError";
  readonly exitCode: number = 2;

  constructor(setting: string, expected: string) {
    super(`${setting}: ${expected}`.replace(/\s*\n\s*/g, " "));
  }
}

/**
 * The settings are well formed, but what they ask for would let anybody in: refused unless asked for by its
 * name.
 */
export class UnsafeConfig extends ConfigError {
  override readonly name = "UnsafeConfig";
  override readonly exitCode = 1;
}
