import { library } from '../../tsup.base.js'

export default library('src/index.ts', 'src/node.ts', 'src/sandbox.ts', 'src/static.ts')
