import type { AgentSkill } from '@modelport/agent'

/** A host in the list of hosts. */
export interface HostInfo {
  /** `host:port` */
  readonly host: string
  /** Name of the model, agent or server that contacts it. */
  readonly usedBy: string
  /** What it is contacted for, such as `api`. */
  readonly purpose: string
}

/** An allow-list in the format of a sandbox. */
export interface AllowListInfo {
  /** The list, ready to be copied. */
  readonly text: string
  /** Facts that the list does not cover. */
  readonly notes: readonly string[]
}

/** One step of the connection test. */
export interface DoctorStepInfo {
  /** What was tested. */
  readonly name: string
  /** How the test ended. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** What was found. */
  readonly detail: string
  /** What to do about a failure. */
  readonly fix?: string
}

/** Who an agent is, from its card. */
export interface AgentCardInfo {
  /** What the agent calls itself. */
  readonly name: string
  /** Its own description. */
  readonly description: string
  /** Version of the agent. */
  readonly version: string
  /** Capabilities that are on, such as `streaming`. */
  readonly capabilities: readonly string[]
  /** What the agent is able to do. */
  readonly skills: readonly AgentSkillInfo[]
}

/** Something that an agent is able to do. */
export type AgentSkillInfo = Pick<AgentSkill, 'id' | 'name' | 'description'>
