import { isLlmError, toImagePart } from '@modelport/core'
import { expect, test } from 'vitest'
import { reportFault } from '../support/faults.js'
import { once, targets } from './targets.js'

/**
 * Addresses that must not be asked from here, in the forms that checks of addresses have missed.
 */
const addresses = [
  '127.0.0.1',
  '127.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  '127.0.0.1.',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'foo.localhost',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:7f00:1::]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[2001::1]',
  'metadata.google.internal',
  'metadata',
  '127.0.0.1.nip.io',
  'localtest.me',
  'internal.test',
  'ａ.test',
  '①②⑦.0.0.1',
  'user:password@127.0.0.1',
  '127.0.0.1:22',
  '127.0.0.1:6379',
  '127.0.0.1%00.test',
  'evil.test#@127.0.0.1',
  'evil.test\\@127.0.0.1',
  '127.0.0.1?x=https://evil.test',
  'rebind.test',
]

test.each(targets)(
  '$name: the address of an image is handed on or refused, never asked from here',
  async (target) => {
    let requests = 0
    for (const address of addresses) {
      const asked: string[] = []
      const provider = target.create('https://api.media.test', {
        fetch: (input) => {
          asked.push(new URL(input instanceof Request ? input.url : input).host)
          return Promise.resolve(new Response('{}', { status: 400 }))
        },
        defaults: once,
      })
      const call = provider.generate([
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            toImagePart(`http://${address}/latest/meta-data`, 'image/png'),
          ],
        },
      ])
      const error = await call.catch((thrown: unknown) => thrown)
      expect(isLlmError(error), String(error)).toBe(true)
      expect(asked.filter((host) => host !== 'api.media.test')).toEqual([])
      expect(asked.length).toBeLessThanOrEqual(1)
      requests += asked.length
    }
    reportFault('E6', { 'addresses of images': addresses.length, 'asked from here': 0 })
    // Where the API takes addresses, the vendor's server asks; elsewhere nothing is sent.
    expect([0, addresses.length]).toContain(requests)
  },
)
