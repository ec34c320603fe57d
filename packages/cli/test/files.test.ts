import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiKey, FileVendor, vendors } from '../../../test/support/file-vendors.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { command, type Outcome } from './test-io.js'

const keys = { ANTHROPIC_API_KEY: apiKey, OPENAI_API_KEY: apiKey, GEMINI_API_KEY: apiKey }

describe.each(vendors)('files of %s', (name) => {
  let vendor: FileVendor
  let home: string
  beforeEach(async () => {
    home = temporaryFolder('home')
    vendor = await new FileVendor(name).start()
    const url = name === 'openai' ? `${vendor.url}/v1` : vendor.url
    const lines = [
      'models:',
      '  - name: main',
      `    provider: ${name}`,
      '    model: m',
      `    base_url: ${url}`,
      '    api_key_env: MY_KEY',
    ]
    writeFileSync(join(home, 'config.yaml'), `${lines.join('\n')}\n`)
  })
  afterEach(() => {
    vendor.close()
  })
  const files = (...args: readonly string[]): Promise<Outcome> =>
    command(['files', '--config', join(home, 'config.yaml'), ...args], {
      home,
      stdin: '',
      environment: { MY_KEY: apiKey },
    })

  test('the command files uploads, lists, shows and deletes a file', async () => {
    const path = join(home, 'report.pdf')
    writeFileSync(path, '%PDF-1.7')
    const uploaded = await files('upload', path)
    expect(uploaded).toEqual({
      code: 0,
      out: expect.stringMatching(/^\S+ {2}8 bytes {2}report\.pdf\n$/) as string,
      err: '',
    })
    const [id = ''] = uploaded.out.split('  ')
    expect(vendor.files).toMatchObject([
      { name: 'report.pdf', mediaType: 'application/pdf', bytes: 8 },
    ])
    vendor.add('other.txt')
    expect((await files('list')).out.split('\n')).toEqual([
      uploaded.out.trim(),
      expect.stringContaining('other.txt'),
      '',
    ])
    expect((await files('get', id)).out).toBe(uploaded.out)
    expect(JSON.parse((await files('get', id, '--json')).out)).toMatchObject({
      id,
      name: 'report.pdf',
      source: { type: 'file', id, origin: name },
    })
    expect(await files('delete', id)).toEqual({ code: 0, out: '', err: '' })
    expect(vendor.files).toMatchObject([{ name: 'other.txt' }])
    expect(await files('delete', id)).toMatchObject({ code: 5 })
  })

  test('the command files says what is missing', async () => {
    expect(await files('upload')).toMatchObject({
      code: 2,
      err: expect.stringContaining('files upload: give the path of a file') as string,
    })
    expect(await files('get')).toMatchObject({
      code: 2,
      err: expect.stringContaining('files get: give the id of a file') as string,
    })
    expect((await files('rename', 'x')).code).toBe(2)
    const path = join(home, 'data.bin')
    expect(await files('upload', path)).toMatchObject({
      code: 2,
      err: expect.stringContaining('say what it is, for example --type application/pdf') as string,
    })
    expect(await files('upload', path, '--type', 'text/csv')).toMatchObject({
      err: expect.stringContaining(`${path}: there is no such file`) as string,
    })
    writeFileSync(path, 'a,b')
    expect((await files('upload', path, '--type', 'text/csv')).code).toBe(0)
    expect(vendor.files).toMatchObject([{ mediaType: 'text/csv' }])
  })
})

test('the command files refuses a vendor without files, and names those that have them', async () => {
  const world = {
    home: temporaryFolder('home'),
    stdin: '',
    environment: { ...keys, GROQ_API_KEY: apiKey },
  }
  expect(await command(['files', 'list', '-m', 'groq'], world)).toMatchObject({
    out: '',
    err: expect.stringContaining(
      'groq: modelport has no files for it; choose anthropic, openai or google',
    ) as string,
  })
})
