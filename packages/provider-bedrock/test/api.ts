import { bedrockConverse } from '@modelport/test-formats'
import { apiKey, type TestedApi, testedApi } from '../../../test/support/tested-api.js'
import { createBedrock } from '../src/index.js'

/** What suites walk of this package. */
export const apis: readonly TestedApi[] = [
  testedApi(
    'bedrock',
    createBedrock,
    { model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', region: 'us-east-1', apiKey },
    {
      format: bedrockConverse,
      models: ['us.anthropic.claude-opus-5', 'meta.llama3-3-70b-instruct-v1:0'],
      shownModel: 'us.anthropic.claude-sonnet-4-6',
      cloudHost: 'bedrock-runtime.us-east-1.amazonaws.com:443',
      loads: ['@smithy/core', '@smithy/eventstream-codec', '@smithy/signature-v4'],
      // Signed, since signatures are made of what each runtime has.
      everywhere: {
        settings: (secretAccessKey) => ({
          apiKey: undefined,
          credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey },
        }),
        skip: {
          "comments and pings keep the bytes' clock, not the reply's":
            'frames have no pings of text',
          'an event without an end is refused as soon as it is too long':
            'frames say their length first',
          'the key is on no object': 'a secret key signs and is never sent',
        },
      },
    },
  ),
]
