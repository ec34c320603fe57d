import { isObject, LlmError } from '@modelport/core'
import { parse as parseToml, TomlError } from 'smol-toml'
import type { Document } from 'yaml'
import { readYaml } from '../base/read-yaml.js'
import { placeOf } from '../base/yaml-places.js'
import type { AgentConfig } from './agent-config.js'
import { readAgents } from './read-agents.js'
import { lineOfTomlKey } from './toml-lines.js'

/**
 * Reads `agent_configs` of a TOML file, where a limit of 0 means none. Other tables are ignored.
 * @param file names the file in errors
 * @throws {LlmError} `config` — the message names file and line, what was found and what to do.
 */
export function parseAgentToml(text: string, file: string): readonly AgentConfig[] {
  let root: unknown
  try {
    root = parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new LlmError('config', `${file}, line ${error.line}, column ${error.column}: ${firstLine(error.message)}`)
  }
  return readAgents({
    agents: isObject(root) ? root['agent_configs'] : undefined,
    root: 'agent_configs',
    zeroMeansMany: true,
    where: (path) => {
      const line = lineOfTomlKey(text, path)
      return line === undefined ? file : `${file}, line ${line}`
    },
  })
}

/**
 * Reads `agents:` of a YAML file, with the settings that `agent_configs` has. Other keys are ignored.
 * @param file names the file in errors
 * @throws {LlmError} `config` — the message names file and line, what was found and what to do.
 */
export function parseAgentYaml(text: string, file: string): readonly AgentConfig[] {
  const yaml = readYaml(text)
  if ('refused' in yaml) throw new LlmError('config', `${file}: ${yaml.refused}`)
  const [mistake] = yaml.mistakes
  if (mistake) throw new LlmError('config', `${file}, line ${mistake.line}, column ${mistake.col}: ${mistake.message}`)
  const root = valueOf(yaml.document, file)
  return readAgents({
    agents: isObject(root) ? root['agents'] : undefined,
    root: 'agents',
    zeroMeansMany: false,
    where: (path) => {
      const line = placeOf(yaml.document.contents, path, yaml.lines)?.line
      return line === undefined ? file : `${file}, line ${line}`
    },
  })
}

/** The value of a document. Aliases that would make a small text very large are refused. */
function valueOf(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw new LlmError('config', `${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

const firstLine = (text: string): string => text.replace(/^Invalid TOML document: /, '').split('\n', 1)[0] ?? ''
