import { expect, test } from 'vitest'
import { fc } from '../../../test/support/fast-check.js'
import { type FormField, toFormBody } from '../src/exchange/form-body.js'

/** The form as the platform reads it. */
const read = ({ data, contentType }: ReturnType<typeof toFormBody>): Promise<FormData> =>
  new Response(data as Uint8Array<ArrayBuffer>, { headers: { 'content-type': contentType } }).formData()

test('any fields and files are read by the platform as they were given', async () => {
  const bytes = fc.uint8Array({ maxLength: 40 })
  // Line breaks and quotes in names are escaped, which the platform shows as it is.
  const name = fc.stringMatching(/^[a-z][a-z0-9_[\]-]{0,8}$/)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, bytes), { maxLength: 6 }), async (files) => {
      const fields = files.map(
        ([field, data]): FormField => [field, { data, mediaType: 'audio/wav', fileName: 'a.wav' }],
      )
      const form = await read(toFormBody([['model', 'm'], ...fields]))
      expect(form.get('model')).toBe('m')
      for (const [field] of files) {
        const given = files.filter(([one]) => one === field).map(([, data]) => data)
        const found = form.getAll(field).filter((value) => value instanceof File)
        expect(await Promise.all(found.map(async (file) => new Uint8Array(await file.arrayBuffer())))).toEqual(given)
      }
    }),
    { numRuns: 60 },
  )
})

test('a file that contains the boundary gets another one', async () => {
  const text = '--modelport-form-0\r\n\r\n--modelport-form-1--'
  const encoded = toFormBody([['prompt', text]])
  expect(encoded.contentType).toBe('multipart/form-data; boundary=modelport-form-2')
  expect((await read(encoded)).get('prompt')).toBe(text)
})

test('a value that contains every boundary costs one scan, not one for each', async () => {
  let value = ''
  for (let number = 0; value.length < 400_000; number++) value += `modelport-form-${number}`
  let scans = 0
  class Counted extends Uint8Array<ArrayBuffer> {
    override indexOf(...given: Parameters<Uint8Array['indexOf']>): number {
      if (!given[1]) scans++
      return super.indexOf(...given)
    }
  }
  const data = new Counted(new TextEncoder().encode(value).buffer)
  const encoded = toFormBody([['file', { data, mediaType: 'audio/wav', fileName: 'a.wav' }]])
  const boundary = /boundary=(.*)/.exec(encoded.contentType)?.[1] ?? ''
  expect([scans, value.includes(boundary)]).toEqual([1, false])
  const file = (await read(encoded)).get('file')
  expect(await (file as File).text()).toBe(value)
})

test('names and media types cannot break out of their line', async () => {
  const file = { data: new Uint8Array([1]), mediaType: 'audio/wav\r\nx-evil: 1', fileName: 'a"\r\nx-evil: 1.wav' }
  const { data } = toFormBody([['file', file]])
  const head = new TextDecoder().decode(data).split('\r\n\r\n')[0] ?? ''
  expect(head.split('\r\n')).toHaveLength(3)
  expect(head).not.toMatch(/^x-evil/m)
})

test('the same fields are the same bytes, so that a cassette recognizes them', () => {
  const fields: readonly FormField[] = [['model', 'm']]
  expect(toFormBody(fields)).toEqual(toFormBody(fields))
})
