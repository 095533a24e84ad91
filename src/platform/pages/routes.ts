// The route of the static files that pages load.
import { refuse } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import type { App } from '../http/route.ts';
import { findAsset } from './assets.ts';
import { withPageHeaders } from './policy.ts';

const KEPT = 'public, max-age=31536000, immutable';
const Params = Type.Object({ hash: Type.String(), name: Type.String() });

export function assetRoutes(app: App): void {
  const config = { public: true, plain: true };
  app.get('/assets/:hash/:name', { config, schema: { hide: true, params: Params } }, async (request, reply) => {
    const asset = findAsset(request.params.hash, request.params.name);
    if (!asset) throw refuse('notFound');
    if (asset.isCurrent) reply.header('cache-control', KEPT);
    return withPageHeaders(reply).sendDocument(asset.document, asset.content);
  });
}
