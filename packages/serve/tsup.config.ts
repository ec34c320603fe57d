import { library } from '../../tsup.base.js'

export default library('src/index.ts', 'src/node.ts', 'src/wire.ts')
