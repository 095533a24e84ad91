// Refuses requests that need a server of a cluster that is away, before they wait for it on the connections of all requests.
import { bucketOf, isId } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import type { App } from './route.ts';

type Groups = { count: number; of(bucket: number): number };
type Outages = { isAway(group: number): boolean; isCoordinatorAway(): boolean };

/** The resources of a customer: their ids lead to its group. */
const OF_CUSTOMER =
  /^\/(beneficial-owners|customers|deposits|documents|holds|label-reallocations|labels|ledger-entries|reviews|withdrawals)\/:id/;
/** Reads every group. */
const OF_ALL = { method: 'GET', url: '/customers' };
/** Need a group only, or no database. All others read from the coordinator. */
const WITHOUT_COORDINATOR = [
  { method: 'POST', url: '/label-reallocations' },
  { method: 'GET', url: '/' },
];

/** Installs the hook. Must be installed after authentication, which comes first. */
export function useUnavailableGroups(app: App, { count, of }: Groups, { isAway, isCoordinatorAway }: Outages): void {
  const isAnyAway = () => Array.from({ length: count }, (_, group) => group).some(isAway);
  app.addHook('onRequest', (request, _reply, done) => {
    const { url = '', method } = request.routeOptions;
    const { id } = request.params as { id?: string };
    const isOf = (route: { method: string; url: string }) => method === route.method && url === route.url;
    const isOfCustomer = id !== undefined && OF_CUSTOMER.test(url) && isId(id);
    const needsGroup = isOfCustomer ? isAway(of(bucketOf(id))) : isOf(OF_ALL) && isAnyAway();
    const needsCoordinator = request.caller && !WITHOUT_COORDINATOR.some(isOf) && isCoordinatorAway();
    if (needsGroup || needsCoordinator) return done(refuse('unavailable'));
    done();
  });
}
