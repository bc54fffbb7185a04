import type { Finding, SourceFile, Tree } from "./tree.ts";

/**
 * Two or three files may describe one subject together; a larger cycle has no bottom to start reading from.
 */
const CYCLE_FILES_MAX = 3;

/** Import cycles of src, imports of types included. One finding for each cycle, at its first file. */
export function checkCycles({ sources }: Tree): Finding[] {
  const files = sources.filter(({ path }) => path.startsWith("src/") && !path.endsWith(".test.ts"));
  return componentsOf(files)
    .filter((component) => component.length > CYCLE_FILES_MAX)
    .map((component) => {
      const [first, ...rest] = [...component].sort();
      return {
        path: first!,
        line: 1,
        what: `import cycle of ${component.length} files with ${rest.join(", ")}`,
      };
    });
}

/** Strongly connected components (Tarjan), each a list of paths. */
function componentsOf(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const components: string[][] = [];

  const visit = (path: string): void => {
    indexes.set(path, indexes.size);
    lowest.set(path, indexes.get(path)!);
    stack.push(path);
    onStack.add(path);
    for (const { file, isImport } of byPath.get(path)!.imports) {
      if (!isImport || file === undefined || !byPath.has(file)) continue;
      if (!indexes.has(file)) visit(file);
      else if (!onStack.has(file)) continue;
      lowest.set(path, Math.min(lowest.get(path)!, lowest.get(file)!));
    }
    if (lowest.get(path) !== indexes.get(path)) return;
    const component = stack.splice(stack.indexOf(path));
    for (const member of component) onStack.delete(member);
    components.push(component);
  };

  for (const { path } of files) if (!indexes.has(path)) visit(path);
  return components;
}
