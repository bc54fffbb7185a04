export interface DataDirectory {
  release(): Promise<void>;
}
export async function openDataDirectory(_path: string): Promise<DataDirectory> {
  return { release: async () => {} };
}
