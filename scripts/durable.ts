// `pnpm run durable NAME -- OPTIONS`: runs one of the long programs that test the durable layer.
// Without a name, it lists them.
import './sources.mjs'

interface Program {
  run: () => Promise<unknown>
  purpose: string
}

const programs: Record<string, Program> = {
  histories: {
    run: () => import('../packages/durable/test/histories/main.ts'),
    purpose: 'plays histories that nobody wrote, from a seed on',
  },
  oracle: {
    run: () => import('../packages/durable/test/histories/oracle-main.ts'),
    purpose: 'plays the same runs on our store and on DBOS',
  },
  mistakes: {
    run: () => import('../packages/durable/test/histories/mistakes-main.ts'),
    purpose: 'puts mistakes back, and counts the histories until each is found',
  },
  mutations: {
    run: () => import('../packages/durable/test/histories/mutations-main.ts'),
    purpose: 'changes the sources, and counts the histories until each change is found',
  },
  kill: {
    run: () => import('../packages/durable/test/kill/main.ts'),
    purpose: 'kills workers at random on a database',
  },
  mutants: {
    run: () => import('../packages/durable/test/kill/mutants-main.ts'),
    purpose: 'puts mistakes back, and says what the killing test finds',
  },
  budget: {
    run: () => import('../packages/durable/test/budget-probe/main.ts'),
    purpose: 'lets processes spend one budget, and kills them',
  },
  spec: {
    run: () => import('./durable-spec.ts'),
    purpose: 'checks the specification of the protocol with spin',
  },
  scale: {
    run: () => import('../packages/durable/test/scale/scale.ts'),
    purpose: 'measures how much load a store carries',
  },
}

const [node = '', runner = '', name = '', ...options] = process.argv
const program = Object.hasOwn(programs, name) ? programs[name] : undefined

if (program) {
  process.argv = [node, runner, ...options.filter((word) => word !== '--')]
  await program.run()
} else {
  const list = Object.entries(programs).map(([key, { purpose }]) => `  ${key.padEnd(11)}${purpose}`)
  console.error(['usage: pnpm run durable NAME -- OPTIONS', '', ...list].join('\n'))
  process.exitCode = 2
}
