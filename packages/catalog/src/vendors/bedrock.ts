import type { Vendor } from '../vendor.js'

/** Every model of Amazon Bedrock; the address depends on the region. */
export const bedrock: Vendor = {
  name: 'bedrock',
  title: 'Amazon Bedrock',
  package: '@modelport/provider-bedrock',
  minimal: { bedrock: { region: 'us-east-1' } },
  aliases: ['amazon-bedrock', 'aws-bedrock'],
  baseUrlVariables: ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME'],
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
  needsKey: true,
  keyUrl: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
  docs: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
}
