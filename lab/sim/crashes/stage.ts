import { type SimStage, setSimStage } from '../laboratory/stage.ts';
import { crashedCluster, type CrashPlan } from './plan.ts';

/** The well cluster of a plan, with a workload of the user's beside the belongings of every stage. */
export async function setCrashStage(plan: CrashPlan): Promise<SimStage> {
  const { seed, profile, entrypoint, loadBalancer } = plan;
  const stage = await setSimStage({ seed, profile, entrypoint, name: crashedCluster, image: { loadBalancer } });
  stage.simCluster.model.addWorkload('StatefulSet', {
    namespace: 'shop',
    name: 'ledger',
    image: 'postgres:17',
    claims: ['data'],
  });
  return stage;
}
