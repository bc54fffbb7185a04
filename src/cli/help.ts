/** What each command prints for `--help`. */
const URL_HELP = `  --url URL   the admin listener (default: http://127.0.0.1:10004, or the port in HOLDFAST_ADMIN_PORT)
`;

export const HEALTH_HELP = `Usage: holdfast health [--url URL]

Asks the admin listener whether the server serves requests, and prints the state of each part.
Exit code 0: it serves requests. 1: it does not, or does not answer.

${URL_HELP}`;

export const RESET_HELP = `Usage: holdfast reset [--url URL]

Removes all data and service properties of all accounts. The server must run with --inMemory or --allowReset.

${URL_HELP}`;

export const COMPLETION_HELP = `Usage: holdfast completion bash|zsh|fish

Prints a completion script:
  bash   source <(holdfast completion bash)
  zsh    holdfast completion zsh > "\${fpath[1]}/_holdfast"
  fish   holdfast completion fish > ~/.config/fish/completions/holdfast.fish
`;

export const MIGRATE_HELP = `Usage: holdfast migrate --from PLACE --to PLACE

Copies all data from a data directory to a PostgreSQL database, or back, or from a directory of Azurite to
either, and compares both sides afterwards. No server may use the source, which is not changed. After an
interruption the same command continues.

  --from PLACE   a data directory, azurite:DIR, or postgres://user@host:port/database
  --to PLACE     a data directory, or postgres://user@host:port/database; it must be empty
`;

export const IMMUTABILITY_HELP = `Usage: holdfast enable-immutability  PLACE --container account/container
       holdfast release-immutability PLACE --blob account/container/name [--versionId ID | --snapshot TIME] --yes
       holdfast release-immutability PLACE --container account/container --yes

Allows immutability policies in a container, or removes the policies and legal holds of a blob or of all blobs
of a container. Stop the server first. Without --yes nothing changes. PLACE is one of:

  -l, --location DIR   the data directory
  --store ADDRESS      postgres://user@host:port/database
`;
