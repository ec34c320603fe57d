import type { Harness } from '@modelport/conformance'
import type { TestedApi } from '../support/tested-api.ts'
import { testedApis } from '../tested-apis.ts'

const apiKey = 'sk-Rt01Ab23Cd45Ef67Gh89abcdef'

const harnessOf = ({ name, format, create, everywhere }: TestedApi): readonly Harness[] =>
  everywhere
    ? [
        {
          name,
          format,
          apiKey,
          ...(everywhere.skip && { skip: everywhere.skip }),
          create: (config) => create({ apiKey, ...everywhere.settings?.(apiKey), ...config }),
        },
      ]
    : []

/** The providers that run everywhere. */
export const harnesses: readonly Harness[] = testedApis.flatMap(harnessOf)
