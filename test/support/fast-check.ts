import fc from 'fast-check'
import { seed } from './seed.js'

// Lint sees to it that tests take fast-check from here: on a seed of its own, each run would try
// something else.
fc.configureGlobal({ seed })

export { fc }
