import { type Dirent, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ConfiguredModels } from '../models/configured-models.js'
import { slashCommands } from './slash-commands.js'

/**
 * What the line can become with Tab: the names of commands, of models after `/model`, of files
 * after `/image`.
 */
export function completeLine(line: string, models: ConfiguredModels): readonly string[] {
  if (!line.startsWith('/')) return []
  const [, command = '', argument] = /^(\/\S*)(?:\s+(.*))?$/s.exec(line) ?? []
  if (argument === undefined)
    return Object.keys(slashCommands)
      .map((name) => `/${name}`)
      .filter((name) => name.startsWith(command))
  const found =
    command === '/model' ? namesOf(models) : command === '/image' ? filesLike(argument) : []
  return found.filter((name) => name.startsWith(argument)).map((name) => `${command} ${name}`)
}

const namesOf = (models: ConfiguredModels): readonly string[] =>
  models.isEmpty ? [] : models.all().map(({ name }) => name)

function filesLike(begun: string): readonly string[] {
  const isFolder = begun === '' || begun.endsWith('/')
  const folder = isFolder ? begun : dirname(begun)
  const start = isFolder ? '' : basename(begun)
  const prefix = isFolder ? begun : begun.includes('/') ? join(folder, '/') : ''
  return entriesOf(folder || '.')
    .filter(
      ({ name }) => name.startsWith(start) && (start.startsWith('.') || !name.startsWith('.')),
    )
    .map((entry) => `${prefix}${entry.name}${entry.isDirectory() ? '/' : ''}`)
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
