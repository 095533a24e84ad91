// The types of the interface, made of openapi.json by `npm run openapi`. Changes by hand are lost.

export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process lives
         * @description 200 as long as the process runs. For whoever restarts it.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether requests are served
         * @description 200 while the service takes requests and reaches its database; 503 while it closes, the database is away or takes no writes, or the check of the ledger found something wrong. For whoever sends it requests.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where everything begins
         * @description Links to everything the token may reach.
         */
        get: operations["getRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an account
         * @description The account that the token acts for.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List customers
         * @description Newest first, of the whole account.
         */
        get: operations["listCustomers"];
        put?: never;
        /**
         * Create a customer
         * @description Without type the customer is unverified. Blank text counts as absent. dateOfBirth, ssn, ein and passport are sealed and never answered.
         */
        post: operations["createCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a customer
         * @description With links for what may be done now. dateOfBirth, ssn, ein and passport are never answered.
         */
        get: operations["getCustomer"];
        put?: never;
        /**
         * Change a customer
         * @description Contact members, or status alone. While the status is retry, once, the complete data of a new customer, which is verified again; an unverified customer becomes personal or business by its complete data with type. Complete data replaces what was there. Money of a customer moves only while the status is verified.
         */
        post: operations["updateCustomer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the balance of a customer
         * @description What the customer holds in each currency: in total, available, and on labels.
         */
        get: operations["getCustomerBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record a deposit
         * @description Money that entered the customer's available balance, as the bank side knows it.
         */
        post: operations["createDeposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deposits/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a deposit
         * @description As it was recorded; it never changes.
         */
        get: operations["getDeposit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record a withdrawal
         * @description Money that left the customer's available balance, as the bank side knows it.
         */
        post: operations["createWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/withdrawals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a withdrawal
         * @description As it was recorded; it never changes.
         */
        get: operations["getWithdrawal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the labels of a customer
         * @description Newest first. Removed ones are not among them.
         */
        get: operations["listLabels"];
        put?: never;
        /**
         * Create a label
         * @description Takes its amount, which may be zero, from what the customer has available. The currency is fixed with it.
         */
        post: operations["createLabel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/labels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a label
         * @description With its amount now. A removed one is not found; its ledger entries stay readable.
         */
        get: operations["getLabel"];
        put?: never;
        post?: never;
        /**
         * Remove a label
         * @description Only at a zero amount. Answers the label as it was; its ledger entries stay readable.
         */
        delete: operations["removeLabel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/labels/{id}/ledger-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the ledger entries of a label
         * @description Newest first; those of a removed label too.
         */
        get: operations["listLedgerEntries"];
        put?: never;
        /**
         * Create a label ledger entry
         * @description A positive amount is taken from what the customer has available, a negative one is given back.
         */
        post: operations["createLedgerEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ledger-entries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a ledger entry
         * @description One change of a label, with the balance after it.
         */
        get: operations["getLedgerEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/label-reallocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a label reallocation
         * @description Moves an amount from one label to another of the same customer and leaves a ledger entry on each. Durable when answered.
         */
        post: operations["createLabelReallocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/label-reallocations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a label reallocation
         * @description As it was made; it never changes. Links lead to the ledger entry on each label.
         */
        get: operations["getLabelReallocation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/label-reallocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the label reallocations of a customer
         * @description Newest first; `reference` and `correlationId` select those that carry exactly that text.
         */
        get: operations["listLabelReallocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/beneficial-owners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the beneficial owners of a customer
         * @description Newest first, all at once: there are at most four. Removed ones are not among them.
         */
        get: operations["listBeneficialOwners"];
        put?: never;
        /**
         * Create a beneficial owner
         * @description Of a business customer only, at most four. Blank text counts as absent. dateOfBirth, ssn and passport are sealed and never answered.
         */
        post: operations["createBeneficialOwner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/beneficial-owners/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a beneficial owner
         * @description Without dateOfBirth, ssn and passport, which are never answered. A removed one is not found.
         */
        get: operations["getBeneficialOwner"];
        put?: never;
        /**
         * Change a beneficial owner
         * @description Only while it is incomplete. Its status is decided anew.
         */
        post: operations["updateBeneficialOwner"];
        /**
         * Remove a beneficial owner
         * @description Answers the owner as it was.
         */
        delete: operations["removeBeneficialOwner"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/beneficial-ownership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the certification of ownership
         * @description Whether the owners of a business are certified to be named completely.
         */
        get: operations["getBeneficialOwnership"];
        put?: never;
        /**
         * Certify the ownership of a business
         * @description States that the beneficial owners are named completely and truly; also when there are none. Certifying again changes nothing.
         */
        post: operations["certifyBeneficialOwnership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/beneficial-owners/{id}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the documents of a beneficial owner
         * @description Newest first, all at once, with what became of each.
         */
        get: operations["listBeneficialOwnerDocuments"];
        put?: never;
        /**
         * Submit a document of a beneficial owner
         * @description Only while one is needed. The file is judged by its content; its name and Content-Type are not read. At most 4 that are not rejected.
         */
        post: operations["submitBeneficialOwnerDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the documents of a customer
         * @description Newest first, all at once, with what became of each.
         */
        get: operations["listCustomerDocuments"];
        put?: never;
        /**
         * Submit a document of a customer
         * @description Only while one is needed. The file is judged by its content; its name and Content-Type are not read. At most 4 that are not rejected.
         */
        post: operations["submitCustomerDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a document
         * @description Its state, and once it is rejected every reason. The picture itself is never answered.
         */
        get: operations["getDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{id}/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the reviews of a document
         * @description Who decided, or which checker, when and why; newest first. What a checker left to others is undecided.
         */
        get: operations["listDocumentReviews"];
        put?: never;
        /**
         * Decide on a document
         * @description Once. An accepted document verifies an owner, or a customer, that needed one.
         */
        post: operations["reviewDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reviews/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a review
         * @description One decision on a document: by whom, when and why.
         */
        get: operations["getReview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or follow events
         * @description Every event that was committed before the call, newest first.
         *
         *     To follow the feed, keep the id of the last event you have handled and ask for `after` it: the events that came after it, oldest
         *     first. None is ever passed over, however transactions commit, and the events of a customer come in the order of their commits.
         *     `order=oldest` without `after` begins at the oldest event kept. The `next` link of a page goes on with it in the page's own order.
         *     An event named by `after` that is not kept any more is 404: events may have been missed.
         *
         *     `total` is exact; with `resourceId` it counts to 10,000 at most.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an event
         * @description What happened to which resource, and when.
         */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook subscriptions
         * @description Newest first, of the whole account. Secrets are never answered.
         */
        get: operations["listWebhookSubscriptions"];
        put?: never;
        /**
         * Create a webhook subscription
         * @description The URL is told of every event from now on, at least once each. Events that carry the same webhook-id are the same.
         */
        post: operations["createWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a webhook subscription
         * @description Where it delivers and whether it is paused. The secret is never answered.
         */
        get: operations["getWebhookSubscription"];
        put?: never;
        /**
         * Pause or resume a webhook subscription
         * @description Resumed, it is told of what happens from now on, or with `replay` also of what it missed; outstanding retries go on.
         */
        post: operations["updateWebhookSubscription"];
        /**
         * Remove a webhook subscription
         * @description It is told of nothing more. Answers the subscription as it was; its webhooks stay readable.
         */
        delete: operations["removeWebhookSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook subscription a new secret
         * @description X-Request-Signature-SHA-256 is made with the new one at once; webhook-signature carries a signature under each of the two for a day.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}/pings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a webhook subscription out
         * @description Delivers a webhook that tells of no event. Location is that webhook.
         */
        post: operations["pingWebhookSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-subscriptions/{id}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of a subscription
         * @description Those of the newest events first. Bodies of answers are cut to 1,024 characters here. `total` counts to 10,000 at most when filtered.
         */
        get: operations["listWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a webhook
         * @description With every attempt to deliver it: what was sent, and what came back.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/retries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the retries of a webhook that were asked for
         * @description Newest first, all at once. Those that the schedule makes by itself are attempts of the webhook.
         */
        get: operations["listWebhookRetries"];
        put?: never;
        /**
         * Send a webhook again now
         * @description Whatever became of it before. Location is the webhook.
         */
        post: operations["retryWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description In the text format 0.0.4. For callers on the machine of the service; none where METRICS_PORT is set.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue an application access token
         * @description The client credentials grant of OAuth 2.0 (RFC 6749 §4.4), by a Basic header, by form fields, or by both.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/token/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an access token
         * @description RFC 7009. A token that is none, or has ended already, is no error.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/token/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look into an access token
         * @description RFC 7662. Only tokens of the same account are active.
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What OAuth clients need to know (RFC 8414)
         * @description The metadata of RFC 8414: where tokens are issued and looked into, and how clients authenticate.
         */
        get: operations["getAuthorizationServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The keys that verify access tokens (RFC 7517)
         * @description The public keys under which access tokens are signed, so that others can verify them without a call.
         */
        get: operations["getJwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the clock of the account
         * @description What the clock of the account shows, and how far it is ahead.
         */
        get: operations["getClock"];
        put?: never;
        /**
         * Move the clock of the account ahead
         * @description Everything of the account goes by it: tokens expire (this one, too), webhooks and checks fall due, and idempotency keys, events and webhooks past their time are forgotten. It never goes back; a reset begins anew.
         */
        post: operations["advanceClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the faults that are still to happen
         * @description Those that have not all happened yet, all at once.
         */
        get: operations["listFaults"];
        put?: never;
        /**
         * Plan a fault
         * @description The next calls of an operation, or the next deliveries of webhooks, are answered with a status, late, or not at all, so that what you do about it can be tested. With `effect` the operation is carried out and only its answer is lost.
         */
        post: operations["planFault"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/faults/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a planned fault
         * @description One plan, with how often it is still to happen.
         */
        get: operations["getFault"];
        put?: never;
        post?: never;
        /**
         * Take a planned fault back
         * @description It happens no more. Answers the plan as it was.
         */
        delete: operations["removeFault"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete everything of the account
         * @description Customers and all that is theirs, events, webhook subscriptions, idempotency keys, planned faults; and the clock shows the time again. The account and its applications stay, and so do their tokens.
         */
        post: operations["resetAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessToken: {
            /** @description A JWT of RFC 9068. */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description Seconds. */
            expires_in: number;
            scope: string;
        };
        Account: {
            _links: {
                self: components["schemas"]["Link"];
                customers: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created: string;
        };
        /** @description The clock that everything of an account goes by. */
        AccountClock: {
            _links: {
                self: components["schemas"]["Link"];
            };
            /**
             * Format: date-time
             * @description What the clock of the account shows.
             */
            now: string;
            /** @description How far it is ahead. */
            aheadSeconds: number;
        };
        /** @description How many of each there were. */
        AccountReset: {
            _links: {
                account: components["schemas"]["Link"];
            };
            removed: {
                customers: number;
                labels: number;
                transfers: number;
                documents: number;
                webhookSubscriptions: number;
            };
        };
        Address: {
            address1: string;
            address2?: string;
            address3?: string;
            city: string;
            stateProvinceRegion: string;
            /** @description ISO 3166-1 alpha-2. */
            country: string;
            postalCode?: string;
        };
        Amount: {
            /**
             * @description Decimal digits, optionally a point and at most the minor digits of the currency.
             * @example 10.50
             */
            value: string;
            /**
             * @description ISO 4217 code.
             * @example USD
             */
            currency: string;
        };
        AuthorizationServer: {
            issuer: string;
            token_endpoint: string;
            revocation_endpoint: string;
            introspection_endpoint: string;
            jwks_uri: string;
            scopes_supported: string[];
            response_types_supported: string[];
            grant_types_supported: string[];
            token_endpoint_auth_methods_supported: string[];
            revocation_endpoint_auth_methods_supported: string[];
            introspection_endpoint_auth_methods_supported: string[];
        };
        Balance: {
            currency: string;
            total: components["schemas"]["Amount"];
            available: components["schemas"]["Amount"];
            labelled: components["schemas"]["Amount"];
        };
        BeneficialOwner: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
                documents: components["schemas"]["Link"];
                /** @description While it needs a document. */
                "verify-with-document"?: components["schemas"]["Link"];
                /** @description While it is incomplete. */
                edit?: components["schemas"]["Link"];
                /** @description While it is incomplete. */
                retry?: components["schemas"]["Link"];
                /** @description Unless it is removed, or its customer suspended or deactivated. */
                remove?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            firstName: string;
            lastName: string;
            address: components["schemas"]["BeneficialOwnerAddress"];
            verificationStatus: components["schemas"]["BeneficialOwnerStatus"];
            /** Format: date-time */
            created: string;
        };
        BeneficialOwnerAddress: {
            address1: string;
            address2?: string;
            address3?: string;
            city: string;
            stateProvinceRegion: string;
            /** @description ISO 3166-1 alpha-2. */
            country: string;
            postalCode: string;
        };
        /** @description The members to replace. An address is replaced whole; an ssn takes the place of a passport, and a passport of an ssn, unless both are given. */
        BeneficialOwnerChange: {
            firstName?: string;
            lastName?: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never answered.
             */
            dateOfBirth?: string;
            address?: components["schemas"]["BeneficialOwnerAddress"];
            /** @description Nine digits with or without hyphens, or the last four. Never answered. */
            ssn?: string;
            passport?: components["schemas"]["Passport"];
        };
        BeneficialOwnerList: {
            _links: {
                self: components["schemas"]["Link"];
            };
            _embedded: {
                "beneficial-owners": components["schemas"]["BeneficialOwner"][];
            };
            total: number;
        };
        /** @description A person who owns a part of the business; ssn or passport. */
        BeneficialOwnerRequest: {
            firstName: string;
            lastName: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never answered.
             */
            dateOfBirth: string;
            address: components["schemas"]["BeneficialOwnerAddress"];
            /** @description Nine digits with or without hyphens, or the last four. Never answered. */
            ssn?: string;
            passport?: components["schemas"]["Passport"];
        };
        /** @enum {string} */
        BeneficialOwnerStatus: "verified" | "document" | "incomplete";
        /** @description A certified one becomes `recertify` when an owner is created, changed or removed. */
        BeneficialOwnership: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
                "beneficial-owners": components["schemas"]["Link"];
                /** @description Unless it is certified. */
                certify?: components["schemas"]["Link"];
            };
            /** @enum {string} */
            status: "uncertified" | "certified" | "recertify";
        };
        /** @description A soleProprietorship needs dateOfBirth and ssn of the account holder, every other business ein and controller. */
        BusinessCustomerRequest: {
            /** @enum {string} */
            type: "business";
            firstName: string;
            lastName: string;
            /** Format: email */
            email: string;
            address1: string;
            city: string;
            /**
             * @description The two letters of a state of the US.
             * @example CA
             */
            state: string;
            /** @description ZIP or ZIP+4. */
            postalCode: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never answered.
             */
            dateOfBirth?: string;
            /** @description Nine digits with or without hyphens, or the last four. Never answered. */
            ssn?: string;
            businessName: string;
            /** @enum {string} */
            businessType: "soleProprietorship" | "corporation" | "llc" | "partnership";
            businessClassification: string;
            /** @description Nine digits with or without hyphen. Never answered. */
            ein?: string;
            controller?: components["schemas"]["ControllerRequest"];
            /** @description An identifier of your own. Need not be unique. */
            correlationId?: string;
            address2?: string;
            phone?: string;
            doingBusinessAs?: string;
            website?: string;
            /** @description Of the person who filled in the form. Never answered. */
            ipAddress?: string;
        } & (unknown & unknown);
        CertificationRequest: {
            /** @enum {string} */
            status: "certified";
        };
        ClockAdvance: {
            advanceSeconds: number;
        };
        Controller: {
            title: string;
            firstName: string;
            lastName: string;
            address: components["schemas"]["Address"];
        };
        /** @description A person with control over the business; ssn or passport. */
        ControllerRequest: {
            title: string;
            firstName: string;
            lastName: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never answered.
             */
            dateOfBirth: string;
            address: components["schemas"]["Address"];
            /** @description Nine digits with or without hyphens, or the last four. Never answered. */
            ssn?: string;
            passport?: components["schemas"]["Passport"];
        };
        Customer: {
            _links: {
                self: components["schemas"]["Link"];
                balance: components["schemas"]["Link"];
                /** @description While it is verified. */
                labels?: components["schemas"]["Link"];
                /** @description Of a business. */
                "beneficial-owners"?: components["schemas"]["Link"];
                /** @description Of a business. */
                "beneficial-ownership"?: components["schemas"]["Link"];
                /** @description Unless its type is unverified. */
                documents?: components["schemas"]["Link"];
                /** @description Unless it is suspended or deactivated. */
                edit?: components["schemas"]["Link"];
                /** @description Unless it is suspended or deactivated. */
                suspend?: components["schemas"]["Link"];
                /** @description Unless it is deactivated. */
                deactivate?: components["schemas"]["Link"];
                /** @description While it is suspended or deactivated, and was not so from the start. */
                reactivate?: components["schemas"]["Link"];
                /** @description While its status is retry. */
                "retry-verification"?: components["schemas"]["Link"];
                /** @description While its status is document. */
                "verify-with-document"?: components["schemas"]["Link"];
                /** @description Of a business, unless it is certified, suspended or deactivated. */
                "certify-beneficial-ownership"?: components["schemas"]["Link"];
                /** @description While it is verified. */
                "create-label"?: components["schemas"]["Link"];
                /** @description While it is verified, and while one that was is suspended or deactivated. */
                deposit?: components["schemas"]["Link"];
                /** @description While it is verified. */
                withdraw?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            firstName: string;
            lastName: string;
            email: string;
            type: components["schemas"]["CustomerType"];
            status: components["schemas"]["CustomerStatus"];
            correlationId?: string;
            /** Format: date-time */
            created: string;
            address1?: string;
            address2?: string;
            city?: string;
            state?: string;
            postalCode?: string;
            phone?: string;
            doingBusinessAs?: string;
            website?: string;
            businessName?: string;
            businessType?: string;
            businessClassification?: string;
            controller?: components["schemas"]["Controller"];
        };
        /** @description What a customer holds in each currency: available = total − labelled. */
        CustomerBalance: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
            };
            balances: components["schemas"]["Balance"][];
        };
        /** @description Contact members, where the empty text removes an optional one, or status alone. Names change only of an unverified customer. */
        CustomerChange: {
            /** @enum {string} */
            status?: "suspended" | "deactivated" | "reactivated";
            /** Format: email */
            email?: string;
            phone?: string;
            address1?: string;
            city?: string;
            /**
             * @description The two letters of a state of the US.
             * @example CA
             */
            state?: string;
            /** @description ZIP or ZIP+4. */
            postalCode?: string;
            address2?: string;
            doingBusinessAs?: string;
            website?: string;
            firstName?: string;
            lastName?: string;
            businessName?: string;
        };
        CustomerList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                customers: components["schemas"]["Customer"][];
            };
            total: number;
        };
        CustomerRequest: components["schemas"]["PersonalCustomerRequest"] | components["schemas"]["BusinessCustomerRequest"] | components["schemas"]["UnverifiedCustomerRequest"];
        /** @enum {string} */
        CustomerStatus: "verified" | "retry" | "document" | "suspended" | "deactivated" | "unverified";
        /** @enum {string} */
        CustomerType: "personal" | "business" | "unverified";
        /** @description A change; or, while the customer is in retry or unverified, its complete data. In retry the type may be left out. */
        CustomerUpdate: components["schemas"]["CustomerChange"] | components["schemas"]["PersonalCustomerRequest"] | components["schemas"]["BusinessCustomerRequest"];
        /** @description failureReason and allFailureReasons are present only when it was rejected. */
        Document: {
            _links: {
                self: components["schemas"]["Link"];
                /** @description Of the document of a beneficial owner. */
                owner?: components["schemas"]["Link"];
                /** @description Of a document of the customer itself. */
                customer?: components["schemas"]["Link"];
                reviews: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "pending" | "reviewed";
            type: components["schemas"]["DocumentType"];
            /** Format: date-time */
            created: string;
            /** @enum {string} */
            documentVerificationStatus: "pending" | "accepted" | "rejected";
            failureReason?: components["schemas"]["FailureReason"];
            allFailureReasons?: components["schemas"]["DocumentFailure"][];
        };
        DocumentFailure: {
            reason: components["schemas"]["FailureReason"];
            description: string;
        };
        DocumentList: {
            _links: {
                self: components["schemas"]["Link"];
            };
            _embedded: {
                documents: components["schemas"]["Document"][];
            };
            total: number;
        };
        /** @enum {string} */
        DocumentType: "passport" | "license" | "idCard" | "other";
        DocumentUpload: {
            documentType: components["schemas"]["DocumentType"];
            /**
             * Format: binary
             * @description JPEG or PNG, or PDF for `other`; at most 10 MiB.
             */
            file: string;
        };
        /** @description What happened to a resource. */
        Event: {
            _links: {
                self: components["schemas"]["Link"];
                resource: components["schemas"]["Link"];
                account: components["schemas"]["Link"];
                /** @description Unless it is about the account itself. */
                customer?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            topic: components["schemas"]["Topic"];
            /** Format: uuid */
            resourceId: string;
        };
        EventList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                events: components["schemas"]["Event"][];
            };
            total: number;
        };
        /** @enum {string} */
        FailureReason: "ScanNotUploaded" | "ScanIdTypeNotSupported" | "ScanNotReadable" | "ScanIdUnrecognized" | "ScanDobMismatch" | "ScanNameMismatch" | "ScanIdExpired" | "ScanFailedOther" | "BusinessDocNotSupported" | "BusinessNameMismatch" | "BusinessTypeMismatch" | "ForeignPassportNotAllowed";
        Fault: {
            /** @enum {string} */
            code: "Required" | "Invalid" | "InvalidFormat" | "Duplicate" | "NotAllowed" | "InsufficientFunds" | "ReadOnly";
            message: string;
            /** @description JSON pointer (RFC 6901) to the refused member. */
            path: string;
            _links: Record<string, never>;
        };
        FaultRequest: {
            /** @description The operationId of an operation behind a token, or `deliverWebhook` for what webhook receivers answer. */
            operation: string;
            /** @description Answered instead: of an operation one of 401, 429, 500, 503, of a receiver any. */
            status?: number;
            /** @description The connection is closed without an answer. */
            cut?: boolean;
            /** @description Milliseconds that pass before anything else happens. */
            delayMs?: number;
            /** @description Whether the operation is carried out all the same and only its answer is lost: what an Idempotency-Key is for. False unless said. */
            effect?: boolean;
            /** @description How often; once unless said. */
            times?: number;
        };
        Health: {
            /** @enum {string} */
            status: "ok";
        };
        /** @description Everything but `active` only for an active token of the caller’s account. */
        Introspection: {
            active: boolean;
            /** @enum {string} */
            token_type?: "Bearer";
            scope?: string;
            client_id?: string;
            account_id?: string;
            sub?: string;
            aud?: string;
            iss?: string;
            jti?: string;
            /** Format: int64 */
            iat?: number;
            /** Format: int64 */
            exp?: number;
        };
        Jwk: {
            /** @enum {string} */
            kty: "OKP";
            crv: string;
            x: string;
            kid: string;
            /** @enum {string} */
            use: "sig";
            /** @enum {string} */
            alg: "EdDSA";
        };
        JwkSet: {
            keys: components["schemas"]["Jwk"][];
        };
        Label: {
            _links: {
                self: components["schemas"]["Link"];
                "ledger-entries": components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
                /** @description While its customer may move money. */
                update?: components["schemas"]["Link"];
                /** @description At a zero amount. */
                remove?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            amount: components["schemas"]["Amount"];
            name?: string;
            correlationId?: string;
        };
        LabelList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                labels: components["schemas"]["Label"][];
            };
            total: number;
        };
        LabelReallocation: {
            _links: {
                self: components["schemas"]["Link"];
                from: components["schemas"]["Link"];
                to: components["schemas"]["Link"];
                "from-ledger-entry": components["schemas"]["Link"];
                "to-ledger-entry": components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            amount: components["schemas"]["Amount"];
            reference?: string;
            correlationId?: string;
        };
        LabelReallocationList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                "label-reallocations": components["schemas"]["LabelReallocation"][];
            };
            total: number;
        };
        LabelReallocationRequest: {
            _links: {
                from: {
                    /**
                     * Format: uri
                     * @description URL of a label, {base}/labels/{id}.
                     */
                    href: string;
                };
                to: {
                    /**
                     * Format: uri
                     * @description URL of a label, {base}/labels/{id}.
                     */
                    href: string;
                };
            };
            amount: components["schemas"]["Amount"];
            reference?: string;
            /** @description An identifier of your own. Need not be unique. */
            correlationId?: string;
        };
        LabelRequest: {
            amount: components["schemas"]["Amount"];
            name?: string;
            /** @description An identifier of your own. Need not be unique. */
            correlationId?: string;
        };
        LedgerEntry: {
            _links: {
                self: components["schemas"]["Link"];
                label: components["schemas"]["Link"];
                /** @description Where it is a side of one. */
                "label-reallocation"?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            amount: components["schemas"]["SignedAmount"];
            balance: components["schemas"]["Amount"];
            /** Format: int64 */
            sequence: number;
            /** Format: date-time */
            created: string;
            reference?: string;
        };
        LedgerEntryList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                "ledger-entries": components["schemas"]["LedgerEntry"][];
            };
            total: number;
        };
        LedgerEntryRequest: {
            amount: components["schemas"]["SignedAmount"];
            reference?: string;
        };
        /** @description A link to a resource. A link for an action is present only while that action is legal now. */
        Link: {
            /** Format: uri */
            href: string;
            type: string;
            "resource-type": string;
        };
        /** @description A deposit or a withdrawal. */
        Movement: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            amount: components["schemas"]["Amount"];
            reference?: string;
            correlationId?: string;
        };
        MovementRequest: {
            amount: components["schemas"]["Amount"];
            reference?: string;
            /** @description An identifier of your own. Need not be unique. */
            correlationId?: string;
        };
        /** @description A refusal in the words of OAuth (RFC 6749 §5.2) and of the service. */
        OAuthError: {
            /** @enum {string} */
            error: "invalid_client" | "invalid_request" | "unsupported_grant_type" | "invalid_scope";
            error_description: string;
            /** @enum {string} */
            code: "InvalidClient" | "InvalidRequest" | "UnsupportedGrantType" | "InvalidScope";
            message: string;
        };
        /** @description The other pages of a list, as far as they exist. */
        PageLinks: {
            self: components["schemas"]["Link"];
            first: components["schemas"]["Link"];
            last: components["schemas"]["Link"];
            /** @description Unless this is the last page. */
            next?: components["schemas"]["Link"];
            /** @description With `offset`, unless this is the first page. Past the end of the list it leads to the last page. */
            prev?: components["schemas"]["Link"];
        };
        /** @description Never answered. */
        Passport: {
            number: string;
            /** @description ISO 3166-1 alpha-2. */
            country: string;
        };
        PersonalCustomerRequest: {
            /** @enum {string} */
            type: "personal";
            firstName: string;
            lastName: string;
            /** Format: email */
            email: string;
            address1: string;
            city: string;
            /**
             * @description The two letters of a state of the US.
             * @example CA
             */
            state: string;
            /** @description ZIP or ZIP+4. */
            postalCode: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never answered.
             */
            dateOfBirth: string;
            /** @description Nine digits with or without hyphens, or the last four. Never answered. */
            ssn: string;
            /** @description An identifier of your own. Need not be unique. */
            correlationId?: string;
            address2?: string;
            phone?: string;
            doingBusinessAs?: string;
            website?: string;
            /** @description Of the person who filled in the form. Never answered. */
            ipAddress?: string;
        };
        /** @description A fault that is to happen to the next calls of an operation, or to the next deliveries. */
        PlannedFault: {
            _links: {
                self: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            /** @description The operationId of an operation behind a token, or `deliverWebhook` for what webhook receivers answer. */
            operation: string;
            /** @description Answered instead: of an operation one of 401, 429, 500, 503, of a receiver any. */
            status?: number;
            /** @description The connection is closed without an answer. */
            cut?: boolean;
            /** @description Milliseconds that pass before anything else happens. */
            delayMs?: number;
            /** @description Whether the operation is carried out all the same and only its answer is lost: what an Idempotency-Key is for. False unless said. */
            effect?: boolean;
            /** @description How often it is still to happen. */
            remaining: number;
        };
        PlannedFaultList: {
            _links: {
                self: components["schemas"]["Link"];
            };
            _embedded: {
                faults: components["schemas"]["PlannedFault"][];
            };
            total: number;
        };
        /** @description A refusal. A ValidationError names every refused value in `_embedded`. */
        Problem: {
            code: components["schemas"]["ProblemCode"];
            message: string;
            _links?: {
                /** @description To what the refusal is about. */
                about?: components["schemas"]["Link"];
            };
            _embedded?: {
                errors: components["schemas"]["Fault"][];
            };
        };
        /** @enum {string} */
        ProblemCode: "BadRequest" | "ValidationError" | "MaxNumberOfResources" | "DuplicateResource" | "InvalidFileType" | "BadFile" | "InvalidAccessToken" | "ExpiredAccessToken" | "Forbidden" | "InvalidResourceState" | "NotFound" | "MethodNotAllowed" | "InvalidVersion" | "RequestTimeout" | "Conflict" | "FileTooLarge" | "RequestTooLarge" | "UnsupportedRequestContentType" | "TooManyRequests" | "ServerError" | "ServiceUnavailable";
        Review: {
            _links: {
                self: components["schemas"]["Link"];
                document: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            reviewer: components["schemas"]["Reviewer"];
            /** @enum {string} */
            decision: "accepted" | "rejected" | "undecided";
            reasons: components["schemas"]["FailureReason"][];
            note?: string;
        };
        ReviewList: {
            _links: {
                self: components["schemas"]["Link"];
                document: components["schemas"]["Link"];
            };
            _embedded: {
                reviews: components["schemas"]["Review"][];
            };
            total: number;
        };
        ReviewRequest: {
            /** @enum {string} */
            decision: "accepted" | "rejected";
            /** @description At least one when rejected, in any order; none when accepted. The Business ones are for the type other only. */
            reasons?: components["schemas"]["FailureReason"][];
            note?: string;
        };
        Reviewer: {
            /** @enum {string} */
            kind: "application";
            id: string;
        } | {
            /** @enum {string} */
            kind: "person";
            name: string;
            place: string;
        } | {
            /** @enum {string} */
            kind: "checker";
            name: string;
            version: string;
            lookedAt: string[];
        };
        Root: {
            _links: {
                account: components["schemas"]["Link"];
                customers: components["schemas"]["Link"];
                events: components["schemas"]["Link"];
                "webhook-subscriptions": components["schemas"]["Link"];
                openapi: {
                    /** Format: uri */
                    href: string;
                    type: string;
                };
            };
        };
        SignedAmount: {
            /**
             * @description As of an amount, with a minus sign when money is given back.
             * @example -10.50
             */
            value: string;
            /**
             * @description ISO 4217 code.
             * @example USD
             */
            currency: string;
        };
        TokenParameter: {
            token: string;
            token_type_hint?: string;
            /** @description Application key, where no Basic header carries it. */
            client_id?: string;
            /** @description Application secret, where no Basic header carries it. */
            client_secret?: string;
        };
        TokenRequest: {
            /** @enum {string} */
            grant_type: "client_credentials";
            /** @description Some of the application’s scopes, with a space between; all unless given. */
            scope?: string;
            /** @description Application key, where no Basic header carries it. */
            client_id?: string;
            /** @description Application secret, where no Basic header carries it. */
            client_secret?: string;
        };
        /** @enum {string} */
        Topic: "customer_created" | "customer_verified" | "customer_suspended" | "customer_activated" | "customer_deactivated" | "customer_reverification_needed" | "customer_verification_document_needed" | "customer_verification_document_uploaded" | "customer_verification_document_approved" | "customer_verification_document_failed" | "customer_beneficial_owner_created" | "customer_beneficial_owner_removed" | "customer_beneficial_owner_verified" | "customer_beneficial_owner_reverification_needed" | "customer_beneficial_owner_verification_document_needed" | "customer_beneficial_owner_verification_document_uploaded" | "customer_beneficial_owner_verification_document_approved" | "customer_beneficial_owner_verification_document_failed" | "customer_label_created" | "customer_label_removed" | "customer_label_ledger_entry_created" | "customer_label_reallocation_created" | "customer_deposit_created" | "customer_withdrawal_created";
        UnverifiedCustomerRequest: {
            /** @enum {string} */
            type?: "unverified";
            firstName: string;
            lastName: string;
            /** Format: email */
            email: string;
            address1?: string;
            city?: string;
            /**
             * @description The two letters of a state of the US.
             * @example CA
             */
            state?: string;
            /** @description ZIP or ZIP+4. */
            postalCode?: string;
            businessName?: string;
            /** @description An identifier of your own. Need not be unique. */
            correlationId?: string;
            address2?: string;
            phone?: string;
            doingBusinessAs?: string;
            website?: string;
            /** @description Of the person who filled in the form. Never answered. */
            ipAddress?: string;
        };
        /** @description What a subscription is told of an event. The topic of a ping is `webhook_subscription_pinged`. */
        Webhook: {
            _links: {
                self: components["schemas"]["Link"];
                subscription: components["schemas"]["Link"];
                /** @description Except on a ping. */
                event?: components["schemas"]["Link"];
                /** @description While its subscription is neither paused nor removed. */
                retry?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            topic: string;
            /** Format: uuid */
            accountId: string;
            /**
             * Format: uuid
             * @description Left out on a ping, which has no event.
             */
            eventId?: string;
            /** Format: uuid */
            subscriptionId: string;
            /**
             * Format: date-time
             * @description While an attempt is planned and the subscription is not paused.
             */
            nextAttempt?: string;
            attempts: components["schemas"]["WebhookAttempt"][];
        };
        WebhookAttempt: {
            /** Format: uuid */
            id: string;
            request: {
                /** Format: date-time */
                timestamp: string;
                url: string;
                headers: components["schemas"]["WebhookHeader"][];
                body: string;
            };
            response?: {
                /** Format: date-time */
                timestamp: string;
                statusCode: number;
                headers: components["schemas"]["WebhookHeader"][];
                body: string;
            };
            /** @description In words, where there was no whole answer. */
            error?: string;
        };
        /** @description An event, as a subscription is told of it. */
        WebhookDelivery: {
            _links: {
                self: components["schemas"]["Link"];
                resource: components["schemas"]["Link"];
                account: components["schemas"]["Link"];
                /** @description Unless it is about the account itself. */
                customer?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            topic: components["schemas"]["Topic"];
            /** Format: uuid */
            resourceId: string;
            /**
             * Format: date-time
             * @description The same as `created`.
             */
            timestamp: string;
        };
        WebhookHeader: {
            name: string;
            value: string;
        };
        WebhookHeaderText: string;
        WebhookList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                webhooks: components["schemas"]["Webhook"][];
            };
            total: number;
        };
        /** @description What tries a subscription out; there is no event of it. */
        WebhookPing: {
            _links: {
                resource: components["schemas"]["Link"];
                account: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            topic: string;
            /** Format: uuid */
            resourceId: string;
            /**
             * Format: date-time
             * @description The same as `created`.
             */
            timestamp: string;
        };
        /** @description An attempt that somebody asked for. */
        WebhookRetry: {
            _links: {
                webhook: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            timestamp: string;
        };
        WebhookRetryList: {
            _links: {
                self: components["schemas"]["Link"];
            };
            _embedded: {
                retries: components["schemas"]["WebhookRetry"][];
            };
            total: number;
        };
        WebhookSecretRequest: {
            /** @description What deliveries are signed with. Never returned. `whsec_` with base64 behind it (Standard Webhooks) names the bytes of the key; any other text is the key itself. */
            secret: string;
        };
        WebhookSubscription: {
            _links: {
                self: components["schemas"]["Link"];
                webhooks: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            url: string;
            /** @description Set by a call, by an answer of 410, or after 400 failures in a row and 24 hours without a success. */
            paused: boolean;
            /** Format: date-time */
            created: string;
            topics?: components["schemas"]["Topic"][];
        };
        WebhookSubscriptionChange: {
            paused: boolean;
            /** @description With `paused: false`: also deliver what happened while the subscription was paused. Else that is passed over. */
            replay?: boolean;
        };
        WebhookSubscriptionList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                "webhook-subscriptions": components["schemas"]["WebhookSubscription"][];
            };
            total: number;
        };
        WebhookSubscriptionRequest: {
            /**
             * Format: uri
             * @description Where to POST events. https in production.
             */
            url: string;
            /** @description What deliveries are signed with. Never returned. `whsec_` with base64 behind it (Standard Webhooks) names the bytes of the key; any other text is the key itself. */
            secret: string;
            /** @description The topics to be told of; every topic without it. */
            topics?: components["schemas"]["Topic"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AccessToken = components['schemas']['AccessToken'];
export type Account = components['schemas']['Account'];
export type AccountClock = components['schemas']['AccountClock'];
export type AccountReset = components['schemas']['AccountReset'];
export type Address = components['schemas']['Address'];
export type Amount = components['schemas']['Amount'];
export type AuthorizationServer = components['schemas']['AuthorizationServer'];
export type Balance = components['schemas']['Balance'];
export type BeneficialOwner = components['schemas']['BeneficialOwner'];
export type BeneficialOwnerAddress = components['schemas']['BeneficialOwnerAddress'];
export type BeneficialOwnerChange = components['schemas']['BeneficialOwnerChange'];
export type BeneficialOwnerList = components['schemas']['BeneficialOwnerList'];
export type BeneficialOwnerRequest = components['schemas']['BeneficialOwnerRequest'];
export type BeneficialOwnerStatus = components['schemas']['BeneficialOwnerStatus'];
export type BeneficialOwnership = components['schemas']['BeneficialOwnership'];
export type BusinessCustomerRequest = components['schemas']['BusinessCustomerRequest'];
export type CertificationRequest = components['schemas']['CertificationRequest'];
export type ClockAdvance = components['schemas']['ClockAdvance'];
export type Controller = components['schemas']['Controller'];
export type ControllerRequest = components['schemas']['ControllerRequest'];
export type Customer = components['schemas']['Customer'];
export type CustomerBalance = components['schemas']['CustomerBalance'];
export type CustomerChange = components['schemas']['CustomerChange'];
export type CustomerList = components['schemas']['CustomerList'];
export type CustomerRequest = components['schemas']['CustomerRequest'];
export type CustomerStatus = components['schemas']['CustomerStatus'];
export type CustomerType = components['schemas']['CustomerType'];
export type CustomerUpdate = components['schemas']['CustomerUpdate'];
export type Document = components['schemas']['Document'];
export type DocumentFailure = components['schemas']['DocumentFailure'];
export type DocumentList = components['schemas']['DocumentList'];
export type DocumentType = components['schemas']['DocumentType'];
export type DocumentUpload = components['schemas']['DocumentUpload'];
export type Event = components['schemas']['Event'];
export type EventList = components['schemas']['EventList'];
export type FailureReason = components['schemas']['FailureReason'];
export type Fault = components['schemas']['Fault'];
export type FaultRequest = components['schemas']['FaultRequest'];
export type Health = components['schemas']['Health'];
export type Introspection = components['schemas']['Introspection'];
export type Jwk = components['schemas']['Jwk'];
export type JwkSet = components['schemas']['JwkSet'];
export type Label = components['schemas']['Label'];
export type LabelList = components['schemas']['LabelList'];
export type LabelReallocation = components['schemas']['LabelReallocation'];
export type LabelReallocationList = components['schemas']['LabelReallocationList'];
export type LabelReallocationRequest = components['schemas']['LabelReallocationRequest'];
export type LabelRequest = components['schemas']['LabelRequest'];
export type LedgerEntry = components['schemas']['LedgerEntry'];
export type LedgerEntryList = components['schemas']['LedgerEntryList'];
export type LedgerEntryRequest = components['schemas']['LedgerEntryRequest'];
export type Link = components['schemas']['Link'];
export type Movement = components['schemas']['Movement'];
export type MovementRequest = components['schemas']['MovementRequest'];
export type OAuthError = components['schemas']['OAuthError'];
export type PageLinks = components['schemas']['PageLinks'];
export type Passport = components['schemas']['Passport'];
export type PersonalCustomerRequest = components['schemas']['PersonalCustomerRequest'];
export type PlannedFault = components['schemas']['PlannedFault'];
export type PlannedFaultList = components['schemas']['PlannedFaultList'];
export type Problem = components['schemas']['Problem'];
export type ProblemCode = components['schemas']['ProblemCode'];
export type Review = components['schemas']['Review'];
export type ReviewList = components['schemas']['ReviewList'];
export type ReviewRequest = components['schemas']['ReviewRequest'];
export type Reviewer = components['schemas']['Reviewer'];
export type Root = components['schemas']['Root'];
export type SignedAmount = components['schemas']['SignedAmount'];
export type TokenParameter = components['schemas']['TokenParameter'];
export type TokenRequest = components['schemas']['TokenRequest'];
export type Topic = components['schemas']['Topic'];
export type UnverifiedCustomerRequest = components['schemas']['UnverifiedCustomerRequest'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookAttempt = components['schemas']['WebhookAttempt'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookHeader = components['schemas']['WebhookHeader'];
export type WebhookHeaderText = components['schemas']['WebhookHeaderText'];
export type WebhookList = components['schemas']['WebhookList'];
export type WebhookPing = components['schemas']['WebhookPing'];
export type WebhookRetry = components['schemas']['WebhookRetry'];
export type WebhookRetryList = components['schemas']['WebhookRetryList'];
export type WebhookSecretRequest = components['schemas']['WebhookSecretRequest'];
export type WebhookSubscription = components['schemas']['WebhookSubscription'];
export type WebhookSubscriptionChange = components['schemas']['WebhookSubscriptionChange'];
export type WebhookSubscriptionList = components['schemas']['WebhookSubscriptionList'];
export type WebhookSubscriptionRequest = components['schemas']['WebhookSubscriptionRequest'];
export type $defs = Record<string, never>;
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Root"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Account"];
                };
            };
        };
    };
    listCustomers: {
        parameters: {
            query?: {
                /** @description Most elements of a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Part of a name, a business name or an email; capitals do not matter. */
                search?: string;
                /** @description A whole email; capitals do not matter. */
                email?: string;
                /** @description Repeat it for customers of any of several statuses. */
                status?: components["schemas"]["CustomerStatus"][];
                /** @description An identifier of your own. Need not be unique. */
                correlationId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["CustomerList"];
                };
            };
        };
    };
    createCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["CustomerRequest"];
                "application/json": components["schemas"]["CustomerRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Customer"];
                };
            };
        };
    };
    updateCustomer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A change; or, while the customer is in retry or unverified, its complete data. In retry the type may be left out. */
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["CustomerUpdate"];
                "application/json": components["schemas"]["CustomerUpdate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Customer"];
                };
            };
        };
    };
    getCustomerBalance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a customer holds in each currency: available = total − labelled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["CustomerBalance"];
                };
            };
        };
    };
    createDeposit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["MovementRequest"];
                "application/json": components["schemas"]["MovementRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getDeposit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A deposit or a withdrawal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Movement"];
                };
            };
        };
    };
    createWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["MovementRequest"];
                "application/json": components["schemas"]["MovementRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A deposit or a withdrawal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Movement"];
                };
            };
        };
    };
    listLabels: {
        parameters: {
            query?: {
                /** @description Most elements of a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description An identifier of your own. Need not be unique. */
                correlationId?: string;
            };
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelList"];
                };
            };
        };
    };
    createLabel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelRequest"];
                "application/json": components["schemas"]["LabelRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getLabel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Label"];
                };
            };
        };
    };
    removeLabel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Label"];
                };
            };
        };
    };
    listLedgerEntries: {
        parameters: {
            query?: {
                /** @description Most elements of a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Elements after the one with this id. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["LedgerEntryList"];
                };
            };
        };
    };
    createLedgerEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["LedgerEntryRequest"];
                "application/json": components["schemas"]["LedgerEntryRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getLedgerEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["LedgerEntry"];
                };
            };
        };
    };
    createLabelReallocation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelReallocationRequest"];
                "application/json": components["schemas"]["LabelReallocationRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getLabelReallocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelReallocation"];
                };
            };
        };
    };
    listLabelReallocations: {
        parameters: {
            query?: {
                /** @description Most elements of a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Elements after the one with this id. */
                after?: string;
                /** @description Those with exactly this reference. */
                reference?: string;
                /** @description An identifier of your own. Need not be unique. */
                correlationId?: string;
            };
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelReallocationList"];
                };
            };
        };
    };
    listBeneficialOwners: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["BeneficialOwnerList"];
                };
            };
        };
    };
    createBeneficialOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A person who owns a part of the business; ssn or passport. */
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["BeneficialOwnerRequest"];
                "application/json": components["schemas"]["BeneficialOwnerRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getBeneficialOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["BeneficialOwner"];
                };
            };
        };
    };
    updateBeneficialOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The members to replace. An address is replaced whole; an ssn takes the place of a passport, and a passport of an ssn, unless both are given. */
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["BeneficialOwnerChange"];
                "application/json": components["schemas"]["BeneficialOwnerChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["BeneficialOwner"];
                };
            };
        };
    };
    removeBeneficialOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["BeneficialOwner"];
                };
            };
        };
    };
    getBeneficialOwnership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A certified one becomes `recertify` when an owner is created, changed or removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["BeneficialOwnership"];
                };
            };
        };
    };
    certifyBeneficialOwnership: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["CertificationRequest"];
                "application/json": components["schemas"]["CertificationRequest"];
            };
        };
        responses: {
            /** @description A certified one becomes `recertify` when an owner is created, changed or removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["BeneficialOwnership"];
                };
            };
        };
    };
    listBeneficialOwnerDocuments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["DocumentList"];
                };
            };
        };
    };
    submitBeneficialOwnerDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["DocumentUpload"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listCustomerDocuments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["DocumentList"];
                };
            };
        };
    };
    submitCustomerDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["DocumentUpload"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description failureReason and allFailureReasons are present only when it was rejected. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Document"];
                };
            };
        };
    };
    listDocumentReviews: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["ReviewList"];
                };
            };
        };
    };
    reviewDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["ReviewRequest"];
                "application/json": components["schemas"]["ReviewRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getReview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Review"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Most elements of a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Elements after the one with this id. */
                after?: string;
                /** @description `newest` first, or `oldest` first. Without it: oldest first with `after`, else newest first. */
                order?: "newest" | "oldest";
                /** @description Events of this topic. */
                topic?: components["schemas"]["Topic"];
                /** @description Events about this resource. */
                resourceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["EventList"];
                };
            };
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happened to a resource. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Event"];
                };
            };
        };
    };
    listWebhookSubscriptions: {
        parameters: {
            query?: {
                /** @description Most elements of a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookSubscriptionList"];
                };
            };
        };
    };
    createWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookSubscriptionRequest"];
                "application/json": components["schemas"]["WebhookSubscriptionRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    updateWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookSubscriptionChange"];
                "application/json": components["schemas"]["WebhookSubscriptionChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    removeWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookSecretRequest"];
                "application/json": components["schemas"]["WebhookSecretRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookSubscription"];
                };
            };
        };
    };
    pingWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Most elements of a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Elements after the one with this id. */
                after?: string;
                /** @description Webhooks of events from this day, or time, on. */
                startDate?: string;
                /** @description Webhooks of events up to this day, or time, itself included. */
                endDate?: string;
                /** @description Webhooks of events about this resource. */
                resourceId?: string;
                /** @description `pending`: not tried yet; `failed`: the last attempt failed. */
                status?: "delivered" | "pending" | "failed";
            };
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What a subscription is told of an event. The topic of a ping is `webhook_subscription_pinged`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    listWebhookRetries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["WebhookRetryList"];
                };
            };
        };
    };
    retryWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessToken"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenParameter"];
            };
        };
        responses: {
            /** @description The token, if it was one, is valid no more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenParameter"];
            };
        };
        responses: {
            /** @description Everything but `active` only for an active token of the caller’s account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Introspection"];
                };
            };
        };
    };
    getAuthorizationServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationServer"];
                };
            };
        };
    };
    getJwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JwkSet"];
                };
            };
        };
    };
    getClock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clock that everything of an account goes by. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["AccountClock"];
                };
            };
        };
    };
    advanceClock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["ClockAdvance"];
                "application/json": components["schemas"]["ClockAdvance"];
            };
        };
        responses: {
            /** @description The clock that everything of an account goes by. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["AccountClock"];
                };
            };
        };
    };
    listFaults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["PlannedFaultList"];
                };
            };
        };
    };
    planFault: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["FaultRequest"];
                "application/json": components["schemas"]["FaultRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getFault: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A fault that is to happen to the next calls of an operation, or to the next deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["PlannedFault"];
                };
            };
        };
    };
    removeFault: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the resource, as in its links. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A fault that is to happen to the next calls of an operation, or to the next deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["PlannedFault"];
                };
            };
        };
    };
    resetAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many of each there were. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["AccountReset"];
                };
            };
        };
    };
}
