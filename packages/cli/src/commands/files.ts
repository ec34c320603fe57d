import { constants, openAsBlob } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { StoredFile } from '@modelport/core'
import { newFileStore } from '@modelport/factory'
import type { Cli, CommonOptions } from '../context/cli.js'
import { exitCodes, UsageError } from '../errors/exit-codes.js'
import { imageTypes } from '../files/image-file.js'
import { loadModels } from '../models/configured-models.js'
import { withProgress } from '../terminal/progress.js'

/** Options of `modelport files`. */
export interface FilesOptions extends CommonOptions {
  readonly model?: string
  readonly baseUrl?: string
  readonly type?: string
}

const mediaTypes: Readonly<Record<string, string>> = {
  ...imageTypes,
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
}

/** Runs `modelport files`; resolves to the exit code. */
export async function files(
  cli: Cli,
  action: string,
  target = '',
  options: FilesOptions = {},
): Promise<number> {
  const { out, err, json, context, signal } = cli
  const store = await newFileStore(
    (await loadModels(cli)).pick(options.model, options.baseUrl).config,
    context,
  )
  const print = (file: StoredFile): void =>
    json
      ? out.json(file)
      : out.line(out.foreign(`${file.id}  ${file.bytes ?? '?'} bytes  ${file.name}`))
  if (action !== 'list' && !target)
    throw new UsageError(
      `files ${action}: give the ${action === 'upload' ? 'path' : 'id'} of a file`,
    )
  if (action === 'list') for await (const file of store.list({ signal })) print(file)
  if (action === 'get') print(await store.get(target, { signal }))
  if (action === 'delete') await store.delete(target, { signal })
  if (action === 'upload') {
    const { type = mediaTypes[extname(target).toLowerCase()] } = options
    if (type === undefined)
      throw new UsageError(`${target}: say what it is, for example --type application/pdf`)
    // Its error names the path.
    await access(target, constants.R_OK)
    const file = { content: await openAsBlob(target), name: basename(target), mediaType: type }
    print(
      await withProgress(err, `uploading ${out.foreign(target)}`, () =>
        store.upload(file, { signal }),
      ),
    )
  }
  return exitCodes.done
}
