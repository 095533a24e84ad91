// Gives packages that import `typescript` version 5, whose JavaScript API version 7 no longer has. Import it before them.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript5' : specifier, context),
});
