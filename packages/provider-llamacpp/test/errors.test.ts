import { execFileSync, spawnSync } from 'node:child_process'
import dns from 'node:dns'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createLlamaCpp, createLlamaCppEmbedder } from '../src/index.js'
import { local, modelPath, unavailable } from './local-model.js'

const folder = mkdtempSync(join(tmpdir(), 'modelport-llamacpp-'))
afterAll(() => {
  rmSync(folder, { recursive: true, maxRetries: 5, force: true })
})

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('files that are not models', () => {
  test.each([
    ['missing-file', '/nowhere/model.gguf', /there is no file \/nowhere\/model\.gguf/],
    ['wrong-format', file('model.safetensors', 'PK not gguf'), /is not a GGUF file/],
    ['wrong-format', file('empty.gguf', ''), /is not a GGUF file/],
    ['unreadable-file', folder, /cannot be read/],
  ])('%s: the error says what is wrong and what to do', async (type, path, message) => {
    const failures = [
      createLlamaCpp({ modelPath: path, gpu: false }).complete('x'),
      createLlamaCppEmbedder({ modelPath: path, gpu: false }).embed(['x']),
    ]
    const expected = {
      code: 'config',
      type,
      provider: 'llamacpp',
      message: expect.stringMatching(message) as string,
      retryable: false,
    }
    // All at once: one that rejects while another is awaited would be nobody's.
    await Promise.all(failures.map((failure) => expect(failure).rejects.toMatchObject(expected)))
  })

  test('a missing path is named, with what to do', () => {
    expect(() => createLlamaCpp({ modelPath: '' })).toThrow(/modelPath is missing/)
    expect(() => createLlamaCpp({} as never)).toThrow(/modelPath is missing/)
  })

  test.skipIf(process.getuid?.() === 0)(
    'a file without the right to read it is named, with what to do',
    async () => {
      const path = file('secret.gguf', 'GGUF')
      chmodSync(path, 0)
      await expect(createLlamaCpp({ modelPath: path }).complete('x')).rejects.toMatchObject({
        code: 'config',
        type: 'unreadable-file',
      })
    },
  )
})

describe.skipIf(unavailable !== undefined)('models that cannot be loaded', () => {
  test('a truncated file is unreadable, with the message of llama.cpp', async () => {
    const path = file('cut.gguf', readFileSync(modelPath).subarray(0, 300_000))
    await expect(local({ modelPath: path }).complete('x')).rejects.toMatchObject({
      code: 'config',
      type: 'unreadable-model',
      message: expect.stringMatching(/corrupted or incomplete/),
    })
  })

  test('a file of an unknown architecture is unreadable', async () => {
    const bytes = readFileSync(modelPath)
    const at = bytes.indexOf('general.architecture') + 'general.architecture'.length + 12
    bytes.write('lloma', at)
    await expect(
      local({ modelPath: file('other.gguf', bytes) }).complete('x'),
    ).rejects.toMatchObject({
      code: 'config',
      type: 'unreadable-model',
    })
  })

  test('too little memory names what to change', async () => {
    await expect(local({ contextSize: 16_000_000 }).complete('x')).rejects.toMatchObject({
      code: 'config',
      type: 'insufficient-memory',
      message: expect.stringContaining('contextSize'),
    })
  })

  test('the call after a failure to load tries again', async () => {
    const path = join(folder, 'later.gguf')
    const provider = local({ modelPath: path })
    await expect(provider.complete('Send an emoji')).rejects.toMatchObject({ type: 'missing-file' })
    writeFileSync(path, readFileSync(modelPath))
    expect(await provider.complete('Send an emoji')).toContain('🎉')
    await provider.close()
  })

  test.each([
    ['contextSize', 0],
    ['contextSize', 1.5],
    ['contextSize', 2_000_000_000],
    ['parallel', 5000],
    ['parallel', 0],
    ['threads', -1],
  ])('%s %d is not a possible number', async (field, value) => {
    await expect(local({ [field]: value }).complete('x')).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(field),
    })
  })

  test('a malformed template is named, with what to do', async () => {
    await expect(local({ chatTemplate: '{% for %}' }).complete('x')).rejects.toMatchObject({
      code: 'config',
      type: 'bad-template',
    })
    await expect(
      local({ chatTemplate: '{{ raise_exception("no such talk") }}' }).complete('x'),
    ).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('no such talk'),
    })
  })
})

describe('without node-llama-cpp', () => {
  test.each([
    ['missing-package', 'ERR_MODULE_NOT_FOUND', /npm install node-llama-cpp@3\.22\.1$/],
    ['missing-package', 'ERR_DLOPEN_FAILED', /does not load/],
  ])('%s (%s) says how to install it', async (type, code, message) => {
    vi.resetModules()
    vi.doMock('node-llama-cpp', () => {
      throw Object.assign(new Error('Cannot find package'), { code })
    })
    // The runner wraps what a mock throws.
    const { toInstallError } = await import('../src/error.js')
    expect(toInstallError(Object.assign(new Error('x'), { code }))).toMatchObject({
      code: 'config',
      type,
      message: expect.stringMatching(message),
    })
    const { createLlamaCpp: create } = await import('../src/index.js')
    await expect(create({ modelPath, gpu: false }).complete('x')).rejects.toMatchObject({
      code: 'config',
      type: 'missing-package',
    })
    vi.doUnmock('node-llama-cpp')
  })

  test('on a machine without a binary the error says how to get one', async () => {
    const { toBinaryError } = await import('../src/error.js')
    expect(toBinaryError(new Error('NoBinaryFound'))).toMatchObject({
      code: 'config',
      type: 'missing-binary',
      message: expect.stringContaining('gpu: false'),
    })
  })

  test('importing the package loads neither it nor a native library', async () => {
    vi.resetModules()
    let loaded = false
    vi.doMock('node-llama-cpp', () => {
      loaded = true
      return {}
    })
    const { createLlamaCpp: create } = await import('../src/index.js')
    create({ modelPath }).estimateTokens('x')
    expect(loaded).toBe(false)
    vi.doUnmock('node-llama-cpp')
  })
})

describe.skipIf(unavailable !== undefined)('no connection', () => {
  const program = file('offline.test-program.mjs', '')

  test('a whole conversation opens none, and looks no name up', async () => {
    const connect = vi.spyOn(Socket.prototype, 'connect')
    const lookup = vi.spyOn(dns, 'lookup')
    const provider = local()
    await provider.complete('Send an emoji')
    await using embedder = createLlamaCppEmbedder({ modelPath, gpu: false, threads: 1 })
    await embedder.embed(['x'])
    await provider.close()
    expect(connect).not.toHaveBeenCalled()
    expect(lookup).not.toHaveBeenCalled()
    connect.mockRestore()
    lookup.mockRestore()
  })

  test('a model works without any network', ({ skip }) => {
    const probe = spawnSync('unshare', ['-rn', 'true'])
    if (probe.status !== 0) {
      console.log("skipped: this machine allows no network namespace of one's own")
      skip()
    }
    const runtime = import.meta.resolve('node-llama-cpp')
    writeFileSync(
      program,
      `
      const { getLlama } = await import(${JSON.stringify(runtime)})
      const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false })
      const model = await llama.loadModel({ modelPath: ${JSON.stringify(modelPath)} })
      console.log(model.tokenize('hello').length)
      process.exit(0)
    `,
    )
    expect(
      execFileSync('unshare', ['-rn', process.execPath, program], { encoding: 'utf8' }).trim(),
    ).toBe('3')
  })
})
