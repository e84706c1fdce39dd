import { rmSync } from 'node:fs'
import type { Compression } from '../src/source/compress.ts'
import { type Command, runCommand } from './command.ts'

/** What packs a file, at the level that each tool has without being told, and what unpacks it to standard output. */
const TOOLS: Readonly<Record<Compression, { readonly pack: readonly string[]; readonly unpack: Command }>> = {
  gz: { pack: ['gzip', '-kf'], unpack: ['gzip', '-dc'] },
  lz4: { pack: ['lz4', '-qkf'], unpack: ['lz4', '-dcq'] },
  zst: { pack: ['zstd', '-qkf'], unpack: ['zstd', '-dcq'] },
}

/** Is the tool of a format installed? */
export function hasTool(format: Compression): boolean {
  try {
    runCommand([TOOLS[format].unpack[0], '--version'])
    return true
  } catch {
    return false
  }
}

/** Put the compressed form of a file in its place. Returns its path. @throws Error when the format's tool is missing */
export function compressFile(path: string, format: Compression): string {
  const packed = `${path}.${format}`
  const [program = '', ...options] = TOOLS[format].pack
  runCommand([program, ...options, path, ...(format === 'lz4' ? [packed] : [])])
  rmSync(path)
  return packed
}

/** The command that unpacks a file to nowhere, by the format's tool. */
export function unpacking(
  path: string,
  format: Compression,
): { readonly name: string; readonly command: Command } {
  const [name] = TOOLS[format].unpack
  return { name, command: ['sh', '-c', 'exec "$0" "$@" > /dev/null', ...TOOLS[format].unpack, path] }
}
