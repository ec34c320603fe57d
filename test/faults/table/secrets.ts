import { driver, type FaultRow, factory, here, inFile, kit } from './fault-row.ts'

/** Threats to keys: K. */
export const secrets: readonly FaultRow[] = [
  {
    id: 'K1',
    fault: 'a server, a network or an SDK repeats the key',
    required: 'the key is in no message, body, cause, stack, JSON or inspection, in no form',
    tests: [
      ...here('secrets', 'no failure shows the key, in any form, through any sink'),
      ...here('processes', 'the report of a crash, and what it prints, have no key'),
      ...kit('K1'),
      ...inFile(
        'packages/core/test/redact.test.ts',
        'a secret is found as it is, encoded, escaped',
      ),
      ...driver('sanitize', 'an error as the caller sees it'),
      ...driver(
        'failures',
        'the headers of one call are secrets of that call',
        'reports of retries',
      ),
      ...inFile(
        'packages/provider-mock/test/scrub.test.ts',
        'a key in a header of any name is redacted',
      ),
      ...inFile(
        'packages/cli/test/chat.test.ts',
        'chat over a pipe sends each line as a message of one conversation',
      ),
    ],
    pending:
      'a report of a crash lists the variables of the environment: start Node with --report-exclude-env where a key is in one',
  },
  {
    id: 'K2',
    fault: 'the key on an object',
    required: 'no inspection, JSON, clone or key of a provider or reader has it',
    tests: [...here('secrets', 'a provider and its readers hold no key in sight'), ...kit('K2')],
  },
  {
    id: 'K3',
    fault: 'characters in a key that no key has',
    required: 'refused before anything is sent; the error names the position, never the value',
    tests: [
      ...driver(
        'api-key',
        'every UTF-16 code unit of a key is visible ASCII, or is refused by its position, wherever it stands',
        'a key is trimmed',
      ),
      ...here('secrets', 'a key with a character that no key has'),
    ],
  },
  {
    id: 'K4',
    fault: 'redirects to another port, host, scheme, or to itself',
    required: '`redirect-refused`, not one byte to a second origin',
    tests: [
      ...here('redirects', '$name follows no redirect'),
      ...kit('K4'),
      ...driver('undici-transport', 'a redirect with status %i is refused'),
    ],
  },
  {
    id: 'K5',
    fault: 'a variable of the environment moves the host',
    required: 'only where the configuration says so; the host said is the host contacted',
    tests: [
      ...factory(
        'contacted-hosts',
        'the environment moves a host only if the configuration asks for it',
      ),
      ...inFile('packages/provider-anthropic/test/env.test.ts', 'the environment'),
      ...inFile('packages/provider-google/test/env.test.ts', 'the environment changes nothing'),
      ...inFile(
        'packages/provider-openai/test/env.test.ts',
        'no variable of the environment changes what is sent, nor where',
      ),
    ],
  },
  {
    id: 'K6',
    fault: 'items of the vendor that a page adds to a reply',
    required: 'none is sent: the state of a reply is sealed, and only its own kinds are replayed',
    tests: [
      ...inFile(
        'packages/ai-sdk/test/untrusted.test.ts',
        'a state that %s is left out, with a warning',
        'a state without a secret has a seal of this process, which no other secret fits',
      ),
      ...inFile(
        'packages/provider-openai/test/replay.test.ts',
        'state with an item that only a client writes is not sent: $type',
      ),
      ...inFile(
        'packages/provider-anthropic/test/replay.test.ts',
        'a state with a block that no reply has is not sent: $type',
      ),
      ...inFile(
        'packages/provider-google/test/request.test.ts',
        'request bodies have no state with a result of a function, which no reply has',
      ),
      ...inFile(
        'packages/provider-openai-compatible/test/request.test.ts',
        'messages have no role that a state names as the field of its reasoning',
      ),
    ],
  },
]
