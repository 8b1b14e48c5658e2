import type { ResultDocument } from '../documents.ts';
import { describeBundle } from './bundle.ts';
import { describeDemoList } from './demo.ts';
import { describeDoctor } from './doctor.ts';
import { describeExplanation } from './explain.ts';
import { describeHeal } from './heal.ts';
import type { Look } from './look.ts';
import { describeRuns } from './runs.ts';
import { describeStatus } from './status.ts';

export function describeDocument(document: ResultDocument, look: Look): string[] {
  switch (document.format) {
    case 'rekindle.doctor/v1':
      return describeDoctor(document, look);
    case 'rekindle.status/v1':
      return describeStatus(document, look);
    case 'rekindle.heal/v1':
      return describeHeal(document, look);
    case 'rekindle.runs/v1':
      return describeRuns(document, look);
    case 'rekindle.explain/v1':
      return describeExplanation(document, look);
    case 'rekindle.bundle-written/v1':
      return describeBundle(document, look);
    case 'rekindle.demo-list/v1':
      return describeDemoList(document, look);
  }
}
