/**
 * The operator must mend something before Holdfast can start: a flag, an environment variable, a file one of
 * them names. The message is one line that names it and says what is expected; `main` prints it and exits with
 * `exitCode`.
 */
export declare class ConfigError extends Error {
    readonly name = "ConfigError";
    readonly exitCode = 2;
    constructor(setting: string, expected: string);
}
