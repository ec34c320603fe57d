import type { Agent } from '@modelport/agent'
import { protolinkWire } from '@modelport/compat'
import { type AgentServerOptions, a2a } from '@modelport/serve'
import { testServer as serverOf } from '../../serve/test/server/support.js'

/** A server that speaks A2A and Protolink, with a client for JSON. */
export const testServer = (options: AgentServerOptions = {}, agents?: readonly Agent[]) =>
  serverOf({ wires: [a2a(), protolinkWire()], ...options }, agents)
