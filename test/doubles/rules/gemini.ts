import { modelOf } from '../apis.ts'
import { type Fields, fieldsOf, listOf, type SentRequest } from '../sent-request.ts'
import { type Breach, breach, outside, type Rule } from './rule.ts'
import { schemasIn } from './schemas.ts'

const api = 'https://ai.google.dev/api/generate-content'
const calling = 'https://ai.google.dev/gemini-api/docs/function-calling'
const dialects = ['gemini'] as const

const bodyOf = ({ body }: SentRequest): Fields => fieldsOf(body)
const configOf = (request: SentRequest): Fields => fieldsOf(bodyOf(request)['generationConfig'])
const contentsOf = (request: SentRequest): readonly Fields[] => listOf(bodyOf(request)['contents'])
const partsOf = (content: Fields | undefined, kind: string): readonly Fields[] =>
  listOf(content?.['parts']).flatMap((part) =>
    part[kind] === undefined ? [] : [fieldsOf(part[kind])],
  )
const declarationsOf = (request: SentRequest): readonly (readonly [Fields, string])[] =>
  listOf(bodyOf(request)['tools']).flatMap((tool, index) =>
    listOf(tool['functionDeclarations']).map(
      (one, at) => [one, `tools[${index}].functionDeclarations[${at}]`] as const,
    ),
  )
/** Models before Gemini 3 combine less. */
const isOld = (request: SentRequest): boolean => /gemini-(?:1|2)/.test(modelOf(request))

function pairBreaches(contents: readonly Fields[]): readonly Breach[] {
  return contents.flatMap((content, index) => {
    const path = `contents[${index}]`
    const calls = partsOf(content, 'functionCall')
    const results = partsOf(content, 'functionResponse')
    const before = contents[index - 1]
    const asked = before?.['role'] === 'model' ? partsOf(before, 'functionCall') : []
    const left = asked.map(({ name }) => name)
    return [
      ...breach(
        calls.length && before?.['role'] === 'model',
        path,
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      ),
      ...breach(
        calls.length && !partsOf(contents[index + 1], 'functionResponse').length,
        path,
        'Please ensure that function response turn comes immediately after a function call turn.',
      ),
      ...breach(
        results.length && results.length !== asked.length,
        path,
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      ),
      ...results.flatMap(({ name, id }) => {
        const at = left.indexOf(name)
        if (at >= 0) left.splice(at, 1)
        return [
          ...breach(
            at < 0,
            path,
            `the response of "${String(name)}" answers no call of the content before`,
          ),
          ...breach(
            id !== undefined && !asked.some((call) => call['id'] === id),
            path,
            `the response has the id ${String(id)}, which no call has`,
          ),
        ]
      }),
    ]
  })
}

/** What a schema of Google's own form may not be. */
const formBreaches = (root: unknown, path: string): readonly Breach[] =>
  [...schemasIn(root, path)].flatMap(([schema, at]) => {
    const type = String(schema['type']).toLowerCase()
    const names = Object.keys(fieldsOf(schema['properties']))
    const required = (schema['required'] ?? []) as readonly string[]
    return [
      ...breach(
        schema['enum'] !== undefined && type !== 'string',
        `${at}.enum`,
        'only allowed for STRING type',
      ),
      ...breach(type === 'array' && schema['items'] === undefined, `${at}.items`, 'missing field.'),
      ...required.flatMap((name, index) =>
        breach(!names.includes(name), `${at}.required[${index}]`, 'property is not defined'),
      ),
    ]
  })

/** The steps of the turn that is not over: what comes after the last thing that the user said. */
function unsigned(contents: readonly Fields[]): readonly Breach[] {
  const start = contents.findLastIndex(
    (content) => content['role'] === 'user' && !partsOf(content, 'functionResponse').length,
  )
  return contents.flatMap((content, index) => {
    const at = listOf(content['parts']).findIndex((part) => part['functionCall'] !== undefined)
    const part = listOf(content['parts'])[at]
    return breach(
      index > start &&
        content['role'] === 'model' &&
        part &&
        part['thoughtSignature'] === undefined,
      `contents[${index}].parts[${at}]`,
      'Function call is missing a thought_signature in functionCall parts.',
    )
  })
}

export const geminiRules: readonly Rule[] = [
  {
    name: 'gemini-roles',
    dialects,
    says: 'the roles are `user` and `model`; calls are of the model, results of the user',
    source: api,
    check: (request) => {
      const contents = contentsOf(request)
      return [
        ...contents.flatMap((content, index) => [
          ...breach(
            content['role'] === undefined && contents.length > 1,
            `contents[${index}].role`,
            'Please use a valid role: user, model.',
          ),
          ...breach(
            content['role'] !== 'model' && partsOf(content, 'functionCall').length,
            `contents[${index}]`,
            'function calls belong to the role model',
          ),
          ...breach(
            content['role'] === 'model' && partsOf(content, 'functionResponse').length,
            `contents[${index}]`,
            'function responses belong to the role user',
          ),
        ]),
      ]
    },
  },
  {
    name: 'gemini-last-is-user',
    dialects,
    says: 'since Gemini 3.2, the last content is not of the model',
    source: 'https://github.com/pipecat-ai/pipecat/pull/5821',
    check: (request) => {
      const continues = /gemini-(?:[12]|3-|3\.1|pro-latest)/.test(modelOf(request))
      return breach(
        !continues && contentsOf(request).at(-1)?.['role'] === 'model',
        'contents',
        'Requests ending with a model turn are not supported.',
      )
    },
  },
  {
    name: 'gemini-results-alone',
    dialects,
    says: 'a content with results of functions has nothing else',
    source: 'https://github.com/envoyproxy/ai-gateway/pull/2686',
    check: (request) =>
      contentsOf(request).flatMap((content, index) => {
        const results = partsOf(content, 'functionResponse').length
        return breach(
          results > 0 && results < listOf(content['parts']).length,
          `contents[${index}]`,
          'function responses share a content with other parts',
        )
      }),
  },
  {
    name: 'gemini-results-follow-calls',
    dialects,
    says: 'as many results as calls come right after them, of the same names and ids',
    source: calling,
    check: (request) => pairBreaches(contentsOf(request)),
  },
  {
    name: 'gemini-part-has-one-thing',
    dialects,
    says: 'a part has one kind of data',
    source: 'https://ai.google.dev/api/caching#Part',
    check: (request) => {
      const kinds = [
        'text',
        'inlineData',
        'fileData',
        'functionCall',
        'functionResponse',
        'executableCode',
        'codeExecutionResult',
        'toolCall',
        'toolResponse',
      ]
      return contentsOf(request).flatMap((content, index) =>
        listOf(content['parts']).flatMap((part, at) => {
          const found = kinds.filter((kind) => part[kind] !== undefined)
          const signatureOnly = found.length === 0 && part['thoughtSignature'] !== undefined
          return breach(
            found.length !== 1 && !signatureOnly,
            `contents[${index}].parts[${at}]`,
            "required oneof field 'data' must have one initialized field",
          )
        }),
      )
    },
  },
  {
    name: 'gemini-signatures',
    dialects,
    says: 'at Gemini 3 and later, the first call of each step of the turn that is not over has its thought signature',
    source: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
    check: (request) =>
      /gemini-[3-9]/.test(modelOf(request)) ? unsigned(contentsOf(request)) : [],
  },
  {
    name: 'gemini-cached-content',
    dialects,
    says: '`cachedContent` excludes the system instruction, tools and their configuration: they belong into the cache',
    source: 'https://ai.google.dev/api/caching',
    check: (request) => {
      const body = bodyOf(request)
      if (body['cachedContent'] === undefined) return []
      return ['systemInstruction', 'tools', 'toolConfig'].flatMap((name) =>
        breach(
          body[name] !== undefined,
          name,
          'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
        ),
      )
    },
  },
  {
    name: 'gemini-function-names',
    dialects,
    says: 'names of functions begin with a letter or `_`, have at most 128 letters, digits, `_`, `.`, `:` or `-`, and differ',
    source: 'https://ai.google.dev/api/caching#FunctionDeclaration',
    check: (request) => {
      const names = new Set<unknown>()
      return declarationsOf(request).flatMap(([{ name }, path]) => {
        const twice = names.has(name)
        names.add(name)
        return [
          ...breach(
            !/^[A-Za-z_][\w.:-]{0,127}$/.test(String(name)),
            `${path}.name`,
            'Invalid function name.',
          ),
          ...breach(twice, `${path}.name`, `Duplicate function declaration found: ${String(name)}`),
        ]
      })
    },
  },
  {
    name: 'gemini-function-parameters',
    dialects,
    says: 'a function has parameters in one of two forms; an object of the first form has properties, a list has items',
    source: 'https://ai.google.dev/api/caching#Schema',
    check: (request) =>
      declarationsOf(request).flatMap(([{ parameters, parametersJsonSchema }, path]) => {
        const schema = fieldsOf(parameters)
        const isObject = /^object$/i.test(String(schema['type']))
        return [
          ...breach(
            parameters !== undefined && parametersJsonSchema !== undefined,
            path,
            'only one of parameters and parametersJsonSchema',
          ),
          ...breach(
            isObject && !Object.keys(fieldsOf(schema['properties'])).length,
            `${path}.parameters.properties`,
            'should be non-empty for OBJECT type',
          ),
          ...breach(
            parametersJsonSchema !== undefined &&
              fieldsOf(parametersJsonSchema)['type'] !== 'object',
            `${path}.parametersJsonSchema`,
            'must describe an object',
          ),
        ]
      }),
  },
  {
    name: 'gemini-tool-config',
    dialects,
    says: 'a mode comes with functions; names are allowed only in the modes ANY and VALIDATED, and are those of functions',
    source: calling,
    check: (request) => {
      const config = fieldsOf(fieldsOf(bodyOf(request)['toolConfig'])['functionCallingConfig'])
      const names = declarationsOf(request).map(([{ name }]) => name)
      const allowed = (config['allowedFunctionNames'] ?? []) as readonly unknown[]
      const path = 'toolConfig.functionCallingConfig'
      return [
        ...breach(
          config['mode'] !== undefined && !names.length,
          path,
          'Function calling config is set without function_declarations.',
        ),
        ...breach(
          allowed.length && !['ANY', 'VALIDATED'].includes(String(config['mode'])),
          `${path}.allowedFunctionNames`,
          'should only be set when the mode is ANY',
        ),
        ...allowed.flatMap((name) =>
          breach(
            !names.includes(name),
            `${path}.allowedFunctionNames`,
            `there is no function ${String(name)}`,
          ),
        ),
      ]
    },
  },
  {
    name: 'gemini-tools-together',
    dialects,
    says: 'before Gemini 3, functions do not go together with tools of the vendor, nor with an answer in JSON',
    source: 'https://ai.google.dev/gemini-api/docs/tool-combination',
    check: (request) => {
      if (!isOld(request) || !declarationsOf(request).length) return []
      const kinds = listOf(bodyOf(request)['tools']).flatMap((tool) => Object.keys(tool))
      return [
        ...breach(
          kinds.some((kind) => kind !== 'functionDeclarations'),
          'tools',
          'Tool use with function calling is unsupported',
        ),
        ...breach(
          configOf(request)['responseMimeType'] === 'application/json',
          'generationConfig.responseMimeType',
          "Function calling with a response mime type: 'application/json' is unsupported",
        ),
      ]
    },
  },
  {
    name: 'gemini-response-schema',
    dialects,
    says: 'a schema of the answer comes in one of two forms, with a type of JSON',
    source: api,
    check: (request) => {
      const config = configOf(request)
      const names = ['responseSchema', 'responseJsonSchema'].filter(
        (name) => config[name] !== undefined,
      )
      const type = String(config['responseMimeType'])
      return [
        ...breach(
          names.length > 1,
          'generationConfig',
          'only one of response_schema and response_json_schema',
        ),
        ...breach(
          names.length && type !== 'application/json' && type !== 'text/x.enum',
          'generationConfig.responseMimeType',
          'response_schema is only supported with response_mime_type application/json',
        ),
      ]
    },
  },
  {
    name: 'gemini-sampling',
    dialects,
    says: '`temperature` is 0 to 2, `topP` 0 to 1, `maxOutputTokens` and `topK` at least 1, `logprobs` 0 to 20 and only with `responseLogprobs`',
    source: api,
    check: (request) => {
      const config = configOf(request)
      const at = (name: string): string => `generationConfig.${name}`
      return [
        ...outside(config['temperature'], 0, 2, at('temperature')),
        ...outside(config['topP'], 0, 1, at('topP')),
        ...outside(config['topK'], 1, Infinity, at('topK')),
        ...outside(config['maxOutputTokens'], 1, Infinity, at('maxOutputTokens')),
        ...outside(config['logprobs'], 0, 20, at('logprobs')),
        ...outside(config['candidateCount'], 1, 8, at('candidateCount')),
        ...breach(
          config['logprobs'] !== undefined && config['responseLogprobs'] !== true,
          at('logprobs'),
          'only with response_logprobs',
        ),
      ]
    },
  },
  {
    name: 'gemini-stop',
    dialects,
    says: 'there are 1 to 5 texts that stop the answer, none empty',
    source: api,
    check: (request) => {
      const stops = configOf(request)['stopSequences']
      if (!Array.isArray(stops)) return []
      return breach(
        !stops.length || stops.length > 5 || stops.includes(''),
        'generationConfig.stopSequences',
        `there are ${stops.length}`,
      )
    },
  },
  {
    name: 'gemini-thinking',
    dialects,
    says: 'thinking has a budget or a level; the budget is -1, 0 or more',
    source: 'https://ai.google.dev/gemini-api/docs/thinking',
    check: (request) => {
      const { thinkingBudget: budget, thinkingLevel: level } = fieldsOf(
        configOf(request)['thinkingConfig'],
      )
      return [
        ...breach(
          budget !== undefined && level !== undefined,
          'generationConfig.thinkingConfig',
          'You can only set only one of thinking budget and thinking level.',
        ),
        ...outside(budget, -1, 32768, 'generationConfig.thinkingConfig.thinkingBudget'),
      ]
    },
  },
  {
    name: 'gemini-system-is-text',
    dialects,
    says: 'the system instruction is text',
    source: 'https://ai.google.dev/gemini-api/docs/text-generation#system-instructions',
    check: (request) =>
      listOf(fieldsOf(bodyOf(request)['systemInstruction'])['parts']).flatMap((part, index) =>
        breach(
          typeof part['text'] !== 'string',
          `systemInstruction.parts[${index}]`,
          'the system instruction must be text',
        ),
      ),
  },
  {
    name: 'gemini-safety-settings',
    dialects,
    says: 'there is one setting for each category of safety',
    source: api,
    check: (request) => {
      const categories = listOf(bodyOf(request)['safetySettings']).map(({ category }) => category)
      return categories.flatMap((category, index) =>
        breach(
          categories.indexOf(category) < index,
          `safetySettings[${index}].category`,
          'there should not be more than one setting for each category',
        ),
      )
    },
  },
  {
    name: 'gemini-schema-form',
    dialects,
    says: 'in a schema of the first form, only texts have an `enum`, lists have items, and what is required is a property',
    source: 'https://github.com/google-gemini/deprecated-generative-ai-python/issues/597',
    check: (request) => [
      ...declarationsOf(request).flatMap(([{ parameters }, path]) =>
        formBreaches(parameters, `${path}.parameters`),
      ),
      ...formBreaches(configOf(request)['responseSchema'], 'generationConfig.responseSchema'),
    ],
  },
]
