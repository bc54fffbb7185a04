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

export const CHECK_HELP = `Usage: holdfast check [PLACE] [--repair] [--json]

Reads all records and payload of a stopped server, and prints what does not agree. Exit code 0: everything
agrees. 1: something does not.

  PLACE      a data directory (default: .holdfast), or postgres://user@host:port/database
  --repair   repair what follows from other records, and move unreadable records to quarantine
  --json     one line of JSON
`;

export const BACKUP_HELP = `Usage: holdfast backup [PLACE] --to TARGET [--since DIR] [--rate MIB]

Writes one moment of all data, from a running server or a stopped one, and verifies what it wrote. After an
interruption the same command continues.

  PLACE         a data directory (default: .holdfast), or postgres://user@host:port/database
  --to TARGET   a new directory, a file that ends in .tar, or - for standard output
  --since DIR   an earlier backup directory: its unchanged payload becomes hard links
  --rate MIB    at most so many MiB a second
`;

export const RESTORE_HELP = `Usage: holdfast restore --from BACKUP --to PLACE

Restores a backup into an empty place and checks all of it. After an interruption the same command begins
again; until it has finished no server starts there.

  --from BACKUP   a backup directory, a tar file, or - for standard input
  --to PLACE      an empty data directory, or postgres://user@host:port/database
`;
