import type { Wait } from './wait.ts';

interface Summaries {
  CertificateSummaryList: readonly { CertificateArn: string; DomainName: string }[];
}
interface Described {
  Certificate: {
    FailureReason?: string;
    DomainValidationOptions?: readonly {
      DomainName: string;
      ValidationStatus?: string;
      ResourceRecord?: { Name: string };
    }[];
  };
}

const unfinished = ['--certificate-statuses', 'PENDING_VALIDATION', 'FAILED', 'VALIDATION_TIMED_OUT'];

/** It is issued once AWS sees its records from outside. @param domain the first of its names */
export const certificate =
  (domain: string): Wait =>
  async (ask) => {
    const known = await ask<Summaries>('acm', 'list-certificates', ...unfinished);
    const own = (known?.CertificateSummaryList ?? []).filter(({ DomainName }) => DomainName === domain);
    const open = own.map(async ({ CertificateArn }) => {
      const answer = await ask<Described>('acm', 'describe-certificate', '--certificate-arn', CertificateArn);
      const { FailureReason, DomainValidationOptions = [] } = answer?.Certificate ?? {};
      if (FailureReason !== undefined) return [`the certificate of ${domain}: ACM refuses it, ${FailureReason}.`];
      return DomainValidationOptions.filter(({ ValidationStatus }) => ValidationStatus !== 'SUCCESS').map(
        ({ DomainName, ResourceRecord }) =>
          `the certificate of ${DomainName}: ACM does not see its record${ResourceRecord ? ` ${ResourceRecord.Name}` : ''} ` +
          'yet. It takes minutes; longer only where the zone is not what the domain is delegated to.',
      );
    });
    return (await Promise.all(open)).flat();
  };
