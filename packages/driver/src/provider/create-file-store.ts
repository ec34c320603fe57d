import {
  asText,
  type FileStore,
  type FileUpload,
  isLlmError,
  isObject,
  type JsonObject,
  type ProviderError,
  type RequestOptions,
  type StoredFile,
} from '@modelport/core'
import { checkSettings, namesOf, optionNames } from '@modelport/core/settings'
import { defined } from '../base/defined.js'
import { namedError } from '../base/named-error.js'
import { CallScope } from '../base/scope.js'
import { dateOf } from '../base/wire-values.js'
import { sanitizeError } from '../call/sanitize.js'
import { type NamedTexts, sizeOf, UploadBody, type UploadFrame } from '../exchange/upload-body.js'
import { withVendor } from '../turn/vendor-fields.js'
import type { EndpointClient, EndpointRequest } from './endpoint-client.js'

/** What a provider package supplies for files. */
export interface FileStoreDriver {
  /** The name of the provider. */
  readonly name: string
  /** Makes the requests. */
  readonly client: EndpointClient
  /** Bytes of the largest file that the vendor takes; the caller may know better. */
  readonly maxBytes: number
  /** URL and headers for a path, which begins with `/files`. */
  request(path: string): EndpointRequest | Promise<EndpointRequest>
  /**
   * What the vendor calls the id, name, media type, bytes, time of creation and time of expiry of a
   * file, in this order.
   */
  readonly fields: string
  /** What it calls the list in a page. Default `data`. */
  readonly list?: string
  /** The query of the first page. */
  readonly pageQuery: NamedTexts
  /** What the query of the next page has in addition; undefined after the last. */
  nextPage(page: JsonObject): NamedTexts | undefined
  /** Fields of the form next to the file. */
  readonly form?: JsonObject
  /** For a vendor that takes no form. `vendor` are fields of the caller. */
  locate?(file: FileUpload, size: number, vendor: RequestOptions['vendor']): UploadFrame['locate']
  /** True while the vendor works on an uploaded file. @throws {LlmError} it failed. */
  isPending?(wire: JsonObject): boolean
}

/** Maximum pages of a list: a server may never end it. */
const mostPages = 10_000
/** Maximum pages without a file in a row. */
const mostEmptyPages = 20
/** Maximum questions about a pending file, one every 2 s. */
const mostQuestions = 900

/**
 * Makes a file store. The vendor says where its files are, what it calls their fields, and how its
 * list continues.
 */
export function createFileStore(driver: FileStoreDriver): FileStore {
  const { name, client } = driver
  const ask: Ask = async (path, options, more = {}) => {
    checkSettings(`${name}: options of files`, options, optionNames.request)
    return asObject(
      await client.json({ ...(await driver.request(path)), inBandErrors: false, ...more }, options),
    )
  }
  /**
   * A file that is missing after more attempts than `most` counts as deleted: the response to one
   * of them was lost.
   */
  const remove = async (id: string, options: RequestOptions, most = 1): Promise<void> => {
    try {
      await ask(pathOf(name, id), options, { method: 'DELETE' })
    } catch (error) {
      const { attempts = 1 } = error as Partial<ProviderError>
      if (!isLlmError(error, 'not-found') || attempts <= most) throw error
    }
  }
  return {
    name,
    get: async (id, options = {}) => toStored(driver, await ask(pathOf(name, id), options)),
    delete: (id, options = {}) => remove(id, options),
    list: async function* (options = {}) {
      let next: NamedTexts | undefined = {}
      let empty = 0
      for (let pages = 0; next; pages++) {
        if (pages === mostPages)
          throw namedError(name, 'limit-exceeded', `the list has more than ${pages} pages`)
        const query = new URLSearchParams({
          ...driver.pageQuery,
          ...toTexts({}, options.vendor),
          ...next,
        })
        const page = await ask(`/files?${query.toString()}`, options)
        const files = page[driver.list ?? 'data'] ?? []
        if (!Array.isArray(files))
          throw namedError(name, 'protocol', 'the response is not a list of files')
        for (const wire of files) yield toStored(driver, asObject(wire))
        empty = files.length > 0 ? 0 : empty + 1
        const before = next
        next = driver.nextPage(page)
        if (next && JSON.stringify(next) === JSON.stringify(before))
          throw namedError(name, 'protocol', 'a page of the list of files names itself as the next')
        if (next && empty === mostEmptyPages)
          throw namedError(
            name,
            'limit-exceeded',
            `the list has ${empty} pages in a row without a file`,
          )
      }
    },
    upload: async (file, options = {}) => {
      const stored = await send(driver, ask, file, options)
      return {
        ...stored,
        [Symbol.asyncDispose]: () => remove(stored.id, defined({ vendor: options.vendor }), 0),
      }
    },
  }
}

type Ask = (path: string, options: RequestOptions, more?: object) => Promise<JsonObject>

async function send(
  driver: FileStoreDriver,
  ask: Ask,
  file: FileUpload,
  options: RequestOptions,
): Promise<StoredFile> {
  const size = checkUpload(driver, file)
  const { name } = driver
  const { signal, vendor } = options
  const deadlineMs = Number(options.deadlineMs) > 0 ? options.deadlineMs : undefined
  const complete = (error: ProviderError): unknown => sanitizeError(error, name, (text) => text)
  const scope = new CallScope(driver.client.clock, name, signal, deadlineMs, complete)
  const controller = new AbortController()
  scope.onEnd(() => controller.abort(scope.reason))
  const inner = { ...options, signal: controller.signal }
  const locate = driver.locate?.(file, size, vendor)
  const body = new UploadBody({
    provider: name,
    file,
    ...(locate ? { locate } : toForm(file, toTexts(driver.form ?? {}, vendor))),
  })
  try {
    const sent = await ask('/files', inner, { upload: body })
    let wire = asObject(sent['file'] ?? sent)
    for (let looks = 0; driver.isPending?.(wire); looks++) {
      if (looks === mostQuestions)
        throw namedError(name, 'timeout', 'the vendor does not finish with the file')
      await scope.sleep(2_000)
      wire = await ask(pathOf(name, toStored(driver, wire).id), inner)
    }
    const stored = toStored(driver, wire, file.mediaType)
    const { bytes = size } = stored
    if (bytes !== size)
      throw namedError(name, 'protocol', `the vendor has ${bytes} of ${size} bytes`)
    return stored
  } catch (error) {
    throw signal?.aborted ? error : body.explain(error)
  } finally {
    scope.end()
  }
}

function toStored(
  { name, fields }: FileStoreDriver,
  wire: JsonObject,
  defaultType?: string,
): StoredFile {
  const [id, title, type, size, created, expires] = fields.split(' ').map((field) => wire[field])
  if (!asText(id))
    throw namedError(name, 'protocol', 'the response is not a file that this API defines')
  const mediaType = defined({ mediaType: asText(type) || defaultType })
  const bytes = /^\d+$/.test(String(size)) ? Number(size) : undefined
  const facts = defined({ bytes, createdAt: dateOf(created), expiresAt: dateOf(expires) })
  const source = { type: 'file' as const, id: asText(id), origin: name, ...mediaType }
  return { id: source.id, source, name: asText(title), ...mediaType, ...facts }
}

/**
 * Returns the size.
 * @throws {LlmError} `invalid-request`, `limit-exceeded` — the file cannot be sent.
 */
function checkUpload({ name, maxBytes }: FileStoreDriver, file: FileUpload): number {
  checkSettings(
    `${name}: the file`,
    file,
    namesOf<FileUpload>({
      content: true,
      name: true,
      mediaType: true,
      maxBytes: true,
    }),
  )
  const size = sizeOf(file)
  const most = file.maxBytes ?? maxBytes
  const needs =
    'content of bytes, a Blob or { size, stream }, which is not empty; a name; a mediaType like "text/csv"'
  const isNamed = asText(file.name) && /^[^\s/]+\/[ -~]+$/.test(asText(file.mediaType))
  if (!isNamed || !Number.isSafeInteger(size) || size < 1)
    throw namedError(name, 'invalid-request', `a file needs ${needs}`)
  if (!(size <= most))
    throw namedError(name, 'limit-exceeded', `the file has ${size} bytes; at most ${most} are sent`)
  return size
}

/**
 * A form (RFC 7578) with a boundary that nobody can guess: the content, which could contain it, was
 * not read yet.
 */
function toForm({ name, mediaType }: FileUpload, fields: NamedTexts): UploadFrame {
  const boundary = `modelport-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
  const parts = [
    ...Object.entries(fields).map(([key, value]) => `"${quoted(key)}"\r\n\r\n${value}`),
    `"file"; filename="${quoted(name)}"\r\ncontent-type: ${mediaType}\r\n\r\n`,
  ]
  const head = parts
    .map((part) => `--${boundary}\r\ncontent-disposition: form-data; name=${part}`)
    .join('\r\n')
  return {
    head: new TextEncoder().encode(head),
    tail: new TextEncoder().encode(`\r\n--${boundary}--\r\n`),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** As browsers write a name inside of quotes. */
const quoted = (text: string): string => text.replace(/[\r\n"]/g, encodeURIComponent)

/** Our fields, with those of the caller. */
const toTexts = (ours: JsonObject, vendor: RequestOptions['vendor']): NamedTexts =>
  Object.fromEntries(
    Object.entries(withVendor(ours, vendor)).map(([key, value]) => [key, String(value)]),
  )

/** The path of an id, which some vendors give as a whole address. */
function pathOf(name: string, id: unknown): string {
  const last = /^(?:[^\s?#]*\bfiles\/)?([\w-]+)$/.exec(asText(id))?.[1]
  if (last !== undefined) return `/files/${last}`
  throw namedError(name, 'invalid-request', `${JSON.stringify(id)} is not the id of a file`)
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})
