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
  priceList: 'aws',
  docs: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
}

/**
 * The address of Bedrock in a region. Undefined for what is not a region, and for those of the
 * partitions that have another suffix than `amazonaws.com`.
 * @see https://github.com/aws/aws-sdk-js-v3 (`clients/client-bedrock-runtime/src/endpoint`,
 * 3.1164.0, read 2026-11-27)
 */
export const bedrockUrl = (region: string, fips = false): string | undefined =>
  /^(?!cn-|us-iso|eu-iso|eusc-)[a-z]{2}(-[a-z]+)+-\d$/.test(region)
    ? `https://bedrock-runtime${fips ? '-fips' : ''}.${region}.amazonaws.com`
    : undefined

/**
 * What AWS's standard chain of credentials may contact, and when. SSO may be in another region than
 * the service.
 * @see https://github.com/aws/aws-sdk-js-v3 (`credential-provider-node` 3.972.99 and what it loads,
 * read 2026-11-27)
 */
export const awsCredentialHosts = (
  region: string,
): readonly (readonly [address: string, when: string])[] => [
  [`https://sts.${region}.amazonaws.com`, 'the credentials are those of a role'],
  [
    `https://portal.sso.${region}.amazonaws.com`,
    'the profile uses IAM Identity Center in this region',
  ],
  [`https://oidc.${region}.amazonaws.com`, 'a session of IAM Identity Center is renewed'],
  [`https://${region}.signin.aws.amazon.com`, 'a session of `aws login` is renewed'],
  ['http://169.254.169.254', 'the program runs on an instance of EC2, or looks whether it does'],
  ['http://169.254.170.2', 'the program runs in a container of ECS'],
  ['http://169.254.170.23', 'the program runs in a pod of EKS'],
]
