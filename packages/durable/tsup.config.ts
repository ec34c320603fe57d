import { library } from '../../tsup.base.js'

export default library(
  'src/index.ts',
  'src/chat/chat.ts',
  'src/sqlite/sqlite.ts',
  'src/sqlite/sqlite-thread.ts',
  'src/postgres/postgres.ts',
)
