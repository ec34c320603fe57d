export type { StoreContractCase } from './session/contract-case.js'
export { storeContract } from './session/store-contract.js'
