/**
 * The operator must mend something before Holdfast can start: a flag, an environment variable, a file one of
 * them names. The message is one line that names it and says what is expected; `main` prints it and exits with
 * `exitCode`.
 */
export class ConfigError extends Error {
    name = "ConfigError";
    exitCode = 2;
    constructor(setting, expected) {
        super(`${setting}: ${expected}`.replace(/\s*\n\s*/g, " "));
    }
}
