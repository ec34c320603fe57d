// Files at the three vendors that keep them, against servers as strict as the vendors, over real
// sockets: test/support/file-vendors.ts.
import { createHash } from 'node:crypto'
import { openAsBlob, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileUpload, ProviderError, StoredFile } from '@modelport/core'
import type { Clock } from '@modelport/driver'
import { parseCassette, recordCassette, replayCassette } from '@modelport/provider-mock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { VirtualClock } from '../packages/conformance/src/virtual-clock.js'
import { apiKey, FileVendor, vendors } from './support/file-vendors.js'
import { atSize } from './support/size.js'
import { temporaryFolder } from './support/temporary-folder.js'

const text = 'Rome is warm in July.'
const report: FileUpload = {
  content: new TextEncoder().encode(text),
  name: 'report.txt',
  mediaType: 'text/plain',
}
const sha256 = (data: string | Uint8Array): string =>
  createHash('sha256').update(data).digest('hex')
const once = { retry: { attempts: 1 } }
const large = 1_500_000
const bytes = (size = large): Uint8Array =>
  Uint8Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) % 251)
async function* chunksOf(data: Uint8Array, size = 50_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += size) {
    yield data.subarray(at, at + size)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
/** Waits between attempts take no time; time-outs are those of the machine. */
const fast: Clock = {
  now: () => performance.now(),
  random: () => 0,
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms > 20_000 ? ms : 0)
    return () => clearTimeout(timer)
  },
}
const failureOf = (promise: Promise<unknown>): Promise<ProviderError> =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as ProviderError,
  )
async function all(files: AsyncIterable<StoredFile>): Promise<StoredFile[]> {
  const found: StoredFile[] = []
  for await (const file of files) found.push(file)
  return found
}

describe.each(vendors)('files at %s', (name) => {
  let vendor: FileVendor
  beforeEach(async () => {
    vendor = await new FileVendor(name).start()
  })
  afterEach(() => {
    vendor.close()
  })
  const ask = name === 'google' ? 1 : 0

  test('an uploaded file is the one that was given, and has the source of a part of a message', async () => {
    const file = await vendor.store().upload(report)
    const [kept] = vendor.files
    expect(kept).toMatchObject({
      name: 'report.txt',
      mediaType: 'text/plain',
      sha256: sha256(text),
    })
    expect(kept?.fields).toEqual(name === 'openai' ? { purpose: 'user_data' } : {})
    const id =
      name === 'google'
        ? `https://generativelanguage.googleapis.com/v1beta/files/${kept?.id}`
        : kept?.id
    const { [Symbol.asyncDispose]: _, ...plain } = file
    const createdAt =
      name === 'google'
        ? '2026-11-27T10:00:00.123456Z'
        : name === 'openai'
          ? '2026-11-27T10:00:00.000Z'
          : '2026-11-27T10:00:00Z'
    expect(plain).toEqual({
      id,
      source: { type: 'file', id, origin: name, mediaType: 'text/plain' },
      name: 'report.txt',
      mediaType: 'text/plain',
      bytes: text.length,
      createdAt,
      ...(name === 'google' && { expiresAt: '2026-11-29T10:00:00.123456Z' }),
    })
    expect(vendor.requests).toHaveLength(1 + ask)
    expect(vendor.requests.every(({ headers }) => headers['anthropic-beta'] === undefined)).toBe(
      true,
    )
  })

  const folder = temporaryFolder(`files-${name}`)
  test.each<[string, (data: Uint8Array) => FileUpload['content'] | Promise<FileUpload['content']>]>(
    [
      ['bytes', (data) => data],
      ['a Blob', (data) => new Blob([data as Uint8Array<ArrayBuffer>])],
      [
        'a file on the disk',
        (data) => {
          const path = join(folder, 'large.bin')
          writeFileSync(path, data)
          return openAsBlob(path)
        },
      ],
      ['a stream', (data) => ({ size: data.length, stream: chunksOf(data) })],
      [
        'a function that gives a stream',
        (data) => ({ size: data.length, stream: () => chunksOf(data, 70_001) }),
      ],
    ],
  )('content may be %s', async (_, make) => {
    const data = bytes()
    const file = await vendor.store().upload({ ...report, content: await make(data) })
    expect(file.bytes).toBe(large)
    expect(vendor.files[0]?.sha256).toBe(sha256(data))
    expect(vendor.uploads[0]?.headers['transfer-encoding']).toBeUndefined()
  })

  test('names of files reach the vendor as they are, or as browsers write them', async () => {
    for (const given of ['a b.txt', 'naïve – 報告.txt', 'a"b\r\nc.txt', 'x\'; name="purpose']) {
      await vendor.store().upload({ ...report, name: given })
      const expected = name === 'google' ? given : given.replace(/["\r\n]/g, encodeURIComponent)
      expect(vendor.files.at(-1)?.name).toBe(expected)
    }
  })

  test('content that contains the text of a form adds nothing to the form', async () => {
    const content =
      '\r\n--modelport-1-2\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--modelport-1-2--\r\n'
    await vendor.store().upload({ ...report, content: new TextEncoder().encode(content) })
    expect(vendor.files[0]?.sha256).toBe(sha256(content))
    const boundaries = vendor.uploads.map(({ headers }) => headers['content-type'])
    await vendor.store().upload(report)
    if (name !== 'google')
      expect(vendor.uploads[1]?.headers['content-type']).not.toBe(boundaries[0])
  })

  test('a file is found by its id', async () => {
    const { id } = await vendor.store().upload(report)
    expect(await vendor.store().get(id)).toMatchObject({
      id,
      name: 'report.txt',
      bytes: text.length,
    })
    if (name === 'google')
      expect(await vendor.store().get(`files/${vendor.files[0]?.id}`)).toMatchObject({ id })
  })

  test('a list has every file of every page, and asks for a page only when it is read', async () => {
    for (let index = 0; index < 7; index++) vendor.add(`file ${index}`)
    vendor.pageSize = 3
    const found = await all(vendor.store().list())
    expect(found.map((file) => file.name)).toEqual(
      Array.from({ length: 7 }, (_, index) => `file ${index}`),
    )
    expect(vendor.requests).toHaveLength(3)
    for await (const file of vendor.store().list()) if (file.name === 'file 1') break
    expect(vendor.requests).toHaveLength(4)
    vendor.files.length = 0
    expect(await all(vendor.store().list())).toEqual([])
  })

  test.each([
    ['the page before it', () => 'x', { code: 'protocol' }, 2],
    ['ever new pages without a file', (page: number) => `p${page}`, { code: 'limit-exceeded' }, 20],
  ])('a list that names %s ends with an error', async (_, nameOf, expected, most) => {
    let pages = 0
    const fetch = (): Promise<Response> => {
      const next = nameOf(pages++)
      const ids = { last_id: next, next_page: next, nextPageToken: next }
      return Promise.resolve(Response.json({ data: [], has_more: true, ...ids }))
    }
    expect(await failureOf(all(vendor.store({ fetch }).list()))).toMatchObject(expected)
    expect(pages).toBe(most)
  })

  test('a deleted file is gone; deleting it again, or asking for it, is not-found', async () => {
    const store = vendor.store()
    const { id } = await store.upload(report)
    await store.delete(id)
    expect(vendor.files).toEqual([])
    expect(await failureOf(store.delete(id))).toMatchObject({ code: 'not-found' })
    expect(await failureOf(store.get(id))).toMatchObject({ code: 'not-found' })
  })

  test('a deletion whose response was lost is done, not unknown', async () => {
    const store = vendor.store({ clock: fast })
    const { id } = vendor.add('a')
    vendor.fault = ({ method }, index) =>
      method === 'DELETE' && index === 0 ? { cut: 0 } : undefined
    await store.delete(id)
    expect(vendor.requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE'])
  })

  test('await using deletes the file at the end of the block, also after an error, and does not mind that it is gone', async () => {
    const store = vendor.store()
    {
      await using file = await store.upload(report)
      expect(vendor.files).toHaveLength(1)
      expect(file.bytes).toBe(text.length)
    }
    expect(vendor.files).toEqual([])
    const failed = async (): Promise<void> => {
      await using file = await store.upload(report)
      throw new Error(`the step with ${file.name} failed`)
    }
    await expect(failed()).rejects.toThrow('the step with report.txt failed')
    expect(vendor.files).toEqual([])
    await using file = await store.upload(report)
    await store.delete(file.id)
  })

  test('content that is too large is refused before anything is sent', async () => {
    const store = vendor.store()
    expect(await failureOf(store.upload({ ...report, maxBytes: 20 }))).toMatchObject({
      code: 'limit-exceeded',
      message: `${name}: limit-exceeded: the file has 21 bytes; at most 20 are sent`,
    })
    const most = { anthropic: 500_000_000, openai: 512_000_000, google: 2_000_000_000 }[name]
    const stream = (): never => expect.fail('it was read')
    expect(
      await failureOf(store.upload({ ...report, content: { size: most + 1, stream } })),
    ).toMatchObject({
      code: 'limit-exceeded',
    })
    for (const wrong of [
      { content: new Uint8Array() },
      { content: 'text' },
      { content: undefined },
      { name: '' },
      { mediaType: 'text' },
      { mediaType: 'a/b\r\nx: y' },
    ])
      expect(await failureOf(store.upload({ ...report, ...wrong } as FileUpload))).toMatchObject({
        code: 'invalid-request',
      })
    await expect(store.upload({ ...report, filename: 'x' } as FileUpload)).rejects.toThrow(
      TypeError,
    )
    await expect(store.upload(report, { maxTokens: 1 } as object)).rejects.toThrow(TypeError)
    for (const id of ['../models', 'a/b', '', 'a?b', 'a b', undefined])
      expect(await failureOf(store.get(id as string))).toMatchObject({ code: 'invalid-request' })
    expect(vendor.requests).toEqual([])
  })

  test.each([
    ['more', large - 1, `the content cannot be read: it has more than ${large - 1} bytes`],
    ['fewer', large + 1, `the content cannot be read: it has ${large} of ${large + 1} bytes`],
  ])('a stream with %s bytes than it says is not stored', async (_, size, message) => {
    const failure = await failureOf(
      vendor.store().upload({ ...report, content: { size, stream: () => chunksOf(bytes()) } }),
    )
    expect(failure).toMatchObject({
      code: 'invalid-request',
      message: `${name}: invalid-request: ${message}`,
    })
    expect(vendor.files).toEqual([])
    expect(vendor.uploads).toHaveLength(1)
  })

  test('a stream that fails is what the upload rejects with, once', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield* chunksOf(bytes(100_000))
      throw new Error('the disk is gone')
    }
    const failure = await failureOf(
      vendor.store().upload({ ...report, content: { size: large, stream: broken } }),
    )
    expect(failure).toMatchObject({
      code: 'invalid-request',
      message: `${name}: invalid-request: the content cannot be read: the disk is gone`,
    })
    expect(failure.cause).toMatchObject({ message: 'the disk is gone' })
    expect(vendor.uploads).toHaveLength(1)
    expect(vendor.files).toEqual([])
  })

  test('an abort ends the upload with its own reason, and the source with it', async () => {
    const controller = new AbortController()
    let closed = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          yield bytes(10_000)
          await new Promise((resolve) => setTimeout(resolve, 1))
          if ((vendor.uploads[0]?.received ?? 0) > 20_000) controller.abort(new Error('enough'))
        }
      } finally {
        closed = true
      }
    }
    const upload = vendor
      .store()
      .upload({ ...report, content: { size: 1e8, stream: endless } }, { signal: controller.signal })
    await expect(upload).rejects.toThrow('enough')
    await expect.poll(() => closed && vendor.uploads[0]?.aborted).toBe(true)
    expect(vendor.files).toEqual([])
    await expect(
      vendor.store().upload(report, { signal: AbortSignal.abort(new Error('before')) }),
    ).rejects.toThrow('before')
    expect(vendor.uploads).toHaveLength(1)
  })

  test('a deadline ends the upload; once bytes were sent, the outcome is uncertain', async () => {
    vendor.fault = (_, index) => (index === ask ? { silent: true } : undefined)
    const failure = await failureOf(vendor.store().upload(report, { deadlineMs: 300 }))
    expect(failure).toMatchObject({ code: 'timeout', reason: 'uncertain', retryable: false })
    expect(failure.cause).toMatchObject({ reason: 'deadline' })
    expect(await failureOf(vendor.store().upload(report, { deadlineMs: -1 }))).toMatchObject({
      code: 'config',
    })
  })

  const refusals = [429, 503, 529]
  test.each(refusals)(
    'an upload that is refused with %i is tried again, if the content can be read again',
    async (status) => {
      vendor.fault = (_, index) =>
        index === ask ? { status, after: Infinity, headers: { 'retry-after-ms': '1' } } : undefined
      await vendor.store().upload({ ...report, content: bytes() })
      expect(vendor.files).toMatchObject([{ sha256: sha256(bytes()) }])
      expect(vendor.uploads).toHaveLength(2)
    },
  )

  test('an upload of a stream that can be read once is not tried again', async () => {
    vendor.fault = (_, index) => (index === ask ? { status: 429, after: Infinity } : undefined)
    const failure = await failureOf(
      vendor.store().upload({ ...report, content: { size: large, stream: chunksOf(bytes()) } }),
    )
    expect(failure).toMatchObject({ code: 'rate-limit', attempts: 1 })
    expect(vendor.uploads).toHaveLength(1)
  })

  test('an upload of which nothing was sent is tried again', async () => {
    let calls = 0
    const fetch: typeof globalThis.fetch = (input, init) => {
      const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
      return calls++ === ask ? Promise.reject(refused) : globalThis.fetch(input, init)
    }
    await vendor
      .store({ fetch, clock: fast })
      .upload({ ...report, content: { size: large, stream: chunksOf(bytes()) } })
    expect(vendor.files).toHaveLength(1)
  })

  test.each([
    ['a server that fails after it has everything', { status: 500, after: Infinity }],
    ['a connection that ends before a response', { reset: true, after: Infinity }],
    ['a response that is not JSON', { body: undefined, cut: 5 }],
    ['a response that is not a file', { body: { ok: true } }],
    [
      'a file of another size',
      {
        body:
          name === 'google'
            ? { file: { uri: 'files/a', sizeBytes: '3' } }
            : { id: 'a', bytes: 3, size_bytes: 3 },
      },
    ],
  ] as const)(
    '%s leaves the upload uncertain: the error says so, and where to look',
    async (_, fault) => {
      vendor.fault = (seen) => (vendor.uploads[0] === seen ? fault : undefined)
      const stream = { size: large, stream: chunksOf(bytes()) }
      const failure = await failureOf(vendor.store().upload({ ...report, content: stream }))
      expect(failure).toMatchObject({ reason: 'uncertain', retryable: false, provider: name })
      expect(failure.message).toMatch(
        /; the vendor may have "report.txt": look for it with list\(\) before you upload it again$/,
      )
      expect(vendor.uploads).toHaveLength(1)
    },
  )

  test('an interrupted upload of content that can be read again is sent once, or continued where the vendor can say what it has', async () => {
    vendor.fault = (seen) =>
      vendor.uploads[0] === seen ? { reset: true, after: 400_000 } : undefined
    const upload = vendor
      .store({ clock: fast })
      .upload({ ...report, content: { size: large, stream: () => chunksOf(bytes()) } })
    if (name === 'google') {
      await upload
      expect(vendor.files).toMatchObject([{ sha256: sha256(bytes()) }])
      expect(vendor.requests.map(({ headers }) => headers['x-goog-upload-command'])).toEqual([
        'start',
        'upload, finalize',
        'query',
        'upload, finalize',
      ])
      expect(Number(vendor.uploads[1]?.headers['x-goog-upload-offset'])).toBeGreaterThanOrEqual(
        400_000,
      )
    } else {
      expect(await failureOf(upload)).toMatchObject({ code: 'network', reason: 'uncertain' })
      expect(vendor.uploads).toHaveLength(1)
    }
  })

  test('an upload may take longer than a response, as long as its bytes are taken; then the response is waited for', async () => {
    const clock = new VirtualClock()
    async function* slow(): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunksOf(bytes(50_000), 10_000)) {
        yield chunk
        await clock.advance(900)
      }
    }
    const store = vendor.store({ clock, timeouts: { headersMs: 1000 } })
    expect((await store.upload({ ...report, content: { size: 50_000, stream: slow } })).bytes).toBe(
      50_000,
    )
    expect(clock.now()).toBeGreaterThan(3000)
    vendor.fault = () => ({ silent: true })
    const failure = await clock.run(failureOf(store.upload(report, once)), 'upload')
    expect(failure).toMatchObject({
      code: 'timeout',
      ...(name !== 'google' && { reason: 'uncertain' }),
    })
  })

  test.each([400, 401, 403, 413])(
    'a refusal with %i is what the vendor says, and final',
    async (status) => {
      vendor.fault = (_, index) => (index === ask ? { status, after: Infinity } : undefined)
      const failure = await failureOf(vendor.store().upload(report))
      expect(failure).toMatchObject({ status, attempts: 1 })
      expect(failure.reason).toBeUndefined()
    },
  )

  test('a response that is cut at any byte is a failure that says that the file may be there, and never a file', async () => {
    let cut = 0
    vendor.fault = (seen) => (vendor.uploads.at(-1) === seen ? { cut } : undefined)
    const fail = async (): Promise<void> => {
      expect(await failureOf(vendor.store().upload(report, once)), `cut at ${cut}`).toMatchObject({
        reason: 'uncertain',
      })
    }
    // Some of them, and the last bytes, where all but a bracket is there.
    for (; cut === 0 || cut < vendor.responseLength; cut += atSize(16, 1)) await fail()
    expect(vendor.responseLength).toBeGreaterThan(150)
    for (cut = vendor.responseLength - 3; cut < vendor.responseLength; cut++) await fail()
    expect((await vendor.store().upload(report, once)).bytes).toBe(text.length)
  })

  test('an upload contacts the listed host only, and the key is in no message', async () => {
    const store = vendor.store({ enforceHosts: ['other.test:443'] })
    for (const failure of [
      await failureOf(store.upload(report)),
      await failureOf(all(store.list())),
      await failureOf(store.get('a')),
      await failureOf(store.delete('a')),
    ])
      expect(failure).toMatchObject({
        code: 'config',
        message: expect.stringContaining('is not among the allowed hosts') as string,
      })
    expect(vendor.requests).toEqual([])
    await vendor.store({ enforceHosts: true }).upload(report)
    vendor.fault = () => ({ status: 400, headers: { 'x-echo': apiKey }, after: Infinity })
    const failure = await failureOf(vendor.store().upload(report))
    expect(JSON.stringify(failure) + failure.message + String(failure.stack)).not.toContain(
      apiKey.slice(-12),
    )
  })

  test('a redirect is refused, and what is uploaded goes nowhere else', async () => {
    const other = await new FileVendor(name).start()
    vendor.fault = () => ({ status: 307, headers: { location: `${other.url}/v1/files` } })
    expect(await failureOf(vendor.store().upload(report, once))).toMatchObject({
      code: 'redirect-refused',
    })
    expect(other.requests).toEqual([])
    other.close()
  })

  test('headers of the configuration win over those of the package, in every request', async () => {
    const store = vendor.store({ headers: { accept: 'application/x-mine' } })
    const { id } = await store.upload(report)
    await all(store.list())
    await store.delete(id)
    expect(vendor.requests.every(({ headers }) => headers['accept'] === 'application/x-mine')).toBe(
      true,
    )
  })

  test('vendor fields reach the upload and the list, and headers both', async () => {
    const headers = { 'x-mine': '1' }
    const store = vendor.store()
    const fields = {
      anthropic: { expires_in_seconds: 3600 },
      openai: {
        purpose: 'vision',
        'expires_after[anchor]': 'created_at',
        'expires_after[seconds]': 3600,
      },
      google: { file: { name: 'files/mine' } },
    }[name]
    const file = await store.upload(report, { vendor: { ...fields, headers } })
    const expected = {
      anthropic: { expires_in_seconds: '3600' },
      openai: {
        purpose: 'vision',
        'expires_after[anchor]': 'created_at',
        'expires_after[seconds]': '3600',
      },
      google: {},
    }[name]
    expect(vendor.files[0]?.fields).toEqual(expected)
    await file[Symbol.asyncDispose]()
    if (name === 'openai') {
      vendor.add('other')
      expect(await all(store.list({ vendor: { purpose: 'batch', headers } }))).toEqual([])
    }
    expect(vendor.requests.every((request) => request.headers['x-mine'] === '1')).toBe(true)
  })
})

describe.each(vendors)('a cassette of files at %s', (name) => {
  test('a cassette has no content of an upload and no key, and replays it with other content of the same name', async () => {
    const vendor = await new FileVendor(name).start()
    const recorder = recordCassette()
    const run = async (fetch: typeof recorder.fetch, secret: string): Promise<unknown> => {
      const store = vendor.store({ fetch })
      const content = new TextEncoder().encode(secret)
      const { [Symbol.asyncDispose]: _, ...file } = await store.upload({ ...report, content })
      const listed = await all(store.list())
      await store.delete(file.id)
      return { file, listed }
    }
    const live = await run(recorder.fetch, 'a secret report')
    vendor.close()
    const cassette = recorder.cassette()
    const stored = JSON.stringify(cassette)
    expect(stored).not.toContain('secret')
    expect(stored).not.toContain(apiKey.slice(0, 12))
    expect(stored).not.toContain('session-1')
    const player = replayCassette(parseCassette(JSON.parse(stored)))
    expect(await run(player, 'another report.')).toEqual(live)
    player.assertAllUsed()
    const other = vendor.store({ fetch: replayCassette(cassette) })
    expect(await failureOf(other.upload({ ...report, mediaType: 'text/csv' }))).toBeDefined()
  })
})

describe('files at google', () => {
  let vendor: FileVendor
  beforeEach(async () => {
    vendor = await new FileVendor('google').start()
  })
  afterEach(() => {
    vendor.close()
  })

  test('a file that is processed is waited for, by the clock of the configuration', async () => {
    vendor.pending = 3
    const clock = new VirtualClock()
    const file = await clock.run(vendor.store({ clock }).upload(report), 'upload')
    expect(file.name).toBe('report.txt')
    expect(vendor.requests.filter(({ method }) => method === 'GET')).toHaveLength(3)
    expect(clock.now()).toBeGreaterThanOrEqual(6_000)
  })

  test('a file that is processed for ever is asked for 900 times', async () => {
    const state = { uri: 'files/a', sizeBytes: String(text.length), state: 'PROCESSING' }
    let asked = 0
    const fetch: typeof globalThis.fetch = (_, init) => {
      if (init?.method === 'GET') asked++
      const headers = { 'x-goog-upload-url': `${vendor.url}/a` }
      return Promise.resolve(
        Response.json(init?.method === 'GET' ? state : { file: state }, { headers }),
      )
    }
    const failure = await failureOf(vendor.store({ fetch, clock: fast }).upload(report))
    expect(failure).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('does not finish') as string,
    })
    expect(asked).toBe(900)
  })

  test('a file that is processed for ever ends at the deadline, and at an abort', async () => {
    vendor.pending = Infinity
    const clock = new VirtualClock()
    const late = await clock.run(
      failureOf(vendor.store({ clock }).upload(report, { deadlineMs: 10_000 })),
      'upload',
    )
    expect(late).toMatchObject({ code: 'timeout', reason: 'uncertain' })
    const controller = new AbortController()
    vendor.fault = ({ method }) => {
      if (method === 'GET') controller.abort(new Error('enough'))
      return undefined
    }
    await expect(
      clock.run(vendor.store({ clock }).upload(report, { signal: controller.signal }), 'upload'),
    ).rejects.toThrow('enough')
  })

  test('a file that cannot be processed is an error with the reason of the vendor', async () => {
    vendor.failed = true
    const failure = await failureOf(vendor.store().upload(report))
    expect(failure).toMatchObject({ code: 'invalid-request' })
    expect(failure.message).toContain(
      'google: invalid-request: the vendor cannot read the file: The video has no frames.',
    )
  })

  test('an address for the content at another host gets neither the content nor the key', async () => {
    const other = await new FileVendor('google').start()
    for (const address of [
      other.url,
      vendor.url.replace('http:', 'https:'),
      'no address',
      `${vendor.url}@evil.test`,
    ]) {
      vendor.uploadAddress = address
      expect(await failureOf(vendor.store().upload(report))).toMatchObject({
        code: 'redirect-refused',
      })
    }
    expect(other.requests).toEqual([])
    expect(vendor.uploads).toEqual([])
    other.close()
  })

  test('an upload that the vendor has as a whole, without a response, is not sent again', async () => {
    vendor.fault = (seen) => (vendor.uploads[0] === seen ? { cut: 0 } : undefined)
    const failure = await failureOf(vendor.store({ clock: fast }).upload(report))
    expect(failure).toMatchObject({ code: 'protocol', reason: 'uncertain' })
    expect(vendor.uploads).toHaveLength(1)
    expect(vendor.files).toHaveLength(1)
  })
})
