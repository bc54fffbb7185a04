import { ConfigError } from "../base/config-error.ts";
import { type FlagShape, flagShapes } from "../process/options-flags.ts";

/** `holdfast completion bash|zsh|fish`: a script for the shell, from the table of flags. */
export function printCompletion(shell: string | undefined, commands: readonly string[]): string {
  const flags = flagShapes();
  switch (shell) {
    case "bash":
      return printBash(flags, commands);
    case "zsh":
      return printZsh(flags, commands);
    case "fish":
      return printFish(flags, commands);
    default:
      throw new ConfigError("completion", `expected bash, zsh or fish, got "${shell ?? ""}"`);
  }
}

const printBash = (flags: readonly FlagShape[], commands: readonly string[]): string => `_holdfast() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  case $before in
${flags
  .filter(({ values }) => values.length > 0)
  .map(
    ({ long, values }) =>
      `    ${long}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$word")); return ;;\n`,
  )
  .join(
    "",
  )}    ${[...flags.filter(({ isPath }) => isPath).map(({ long }) => long), "-l"].join("|")}) COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  local words="${flags.map(({ long }) => long).join(" ")}"
  [[ $COMP_CWORD -eq 1 ]] && words="$words ${commands.join(" ")}"
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o filenames -F _holdfast holdfast
`;

/** Brackets and colons end a description in zsh. */
const quoted = (text: string): string =>
  `'${text.replaceAll("'", "'\\''").replace(/[[\]:]/g, (sign) => `\\${sign}`)}'`;

function printZsh(flags: readonly FlagShape[], commands: readonly string[]): string {
  const lines = flags.map(({ long, text, isPath, values, takesValue }) => {
    const value = isPath ? ":file:_files" : values.length > 0 ? `:value:(${values.join(" ")})` : ":value:";
    return `  ${quoted(long).slice(0, -1)}[${quoted(text).slice(1, -1)}]${takesValue ? value : ""}'`;
  });
  return `#compdef holdfast
_arguments \\
${lines.map((line) => `${line} \\\n`).join("")}  '1::command:(${commands.join(" ")})'
`;
}

function printFish(flags: readonly FlagShape[], commands: readonly string[]): string {
  const lines = flags.map(({ long, text, isPath, values, takesValue }) => {
    const value =
      values.length > 0 ? ` -xa "${values.join(" ")}"` : isPath ? " -rF" : takesValue ? " -x" : "";
    return `complete -c holdfast -l ${long.slice(2)} -d '${text.replaceAll("'", "\\'")}'${value}\n`;
  });
  return `complete -c holdfast -f
complete -c holdfast -n __fish_use_subcommand -a "${commands.join(" ")}"
${lines.join("")}`;
}
