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
         * Check liveness
         * @description Returns 200 as long as the process runs. For process supervisors.
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
         * Check readiness
         * @description Returns 200 while the service accepts requests and can write to its database, in a sandbox once `sandbox.json` is written, and 503 while it starts or closes, while the database is unavailable or read-only, and if the ledger check found an error. On a cluster it returns 200 while at least one worker can post reallocations; `degraded` if other servers are away or read-only. It notices within two seconds. For load balancers.
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
         * Retrieve the root
         * @description Links to the account and its resources.
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
         * @description Only the account of the token can be retrieved.
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
    "/accounts/{id}/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the balance of an account
         * @description The totals of all customers by currency. They are added up at most every ten seconds; `at` is when.
         */
        get: operations["getAccountBalance"];
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
         * @description Newest first.
         */
        get: operations["listCustomers"];
        put?: never;
        /**
         * Create a customer
         * @description Default type: unverified. Blank text counts as absent. dateOfBirth, ssn, ein and passport are stored encrypted and never returned.
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
         * @description Links show the actions that are allowed now. dateOfBirth, ssn, ein and passport are never returned.
         */
        get: operations["getCustomer"];
        put?: never;
        /**
         * Change a customer
         * @description Send contact members, or only status. While the status is retry you can send, once, the complete data of a new customer, which is then verified again. An unverified customer becomes personal or business with its type and complete data. Complete data replaces all previous data. Money can be moved only while the status is verified.
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
         * @description The total, available and labelled amount in each currency, now or at a past time.
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
        /**
         * List the deposits of a customer
         * @description Newest first.
         */
        get: operations["listDeposits"];
        put?: never;
        /**
         * Record a deposit
         * @description Records money that entered the customer's available balance on the bank side. An active allocation rule in its currency moves parts of it to labels in the same transaction; a deposit is never refused because of a rule.
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
         * @description A recorded deposit never changes.
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
        /**
         * List the withdrawals of a customer
         * @description Newest first.
         */
        get: operations["listWithdrawals"];
        put?: never;
        /**
         * Record a withdrawal
         * @description Records money that left the customer's available balance on the bank side.
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
         * @description A recorded withdrawal never changes.
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
         * @description Newest first, without removed labels.
         */
        get: operations["listLabels"];
        put?: never;
        /**
         * Create a label
         * @description Takes the amount, which may be zero, from the available balance. Its currency becomes the currency of the label.
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
         * @description Returns 404 for a removed label, but its ledger entries remain readable.
         */
        get: operations["getLabel"];
        put?: never;
        /**
         * Replace the metadata of a label
         * @description All earlier pairs are dropped. Nothing else of a label can be changed.
         */
        post: operations["updateLabel"];
        /**
         * Remove a label
         * @description The amount must be zero. Returns the label as it was; its ledger entries remain readable.
         */
        delete: operations["removeLabel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/labels/{id}/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the balance of a label
         * @description Now, or at a past time. Also works for a removed label. Zero before the label was created.
         */
        get: operations["getLabelBalance"];
        put?: never;
        post?: never;
        delete?: never;
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
         * @description Newest first. Also works for a removed label.
         */
        get: operations["listLedgerEntries"];
        put?: never;
        /**
         * Create a label ledger entry
         * @description A positive amount is taken from the available balance; a negative amount is returned to it.
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
         * @description One change of a label amount, with the balance after it.
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
         * @description Moves an amount between two labels of one customer and creates a ledger entry on each. The reallocation is durable before the response is sent.
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
         * @description It links to the ledger entry on each label. `reversed` is the sum of its reversals; it is absent on a reversal.
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
         * @description Newest first. `reference`, `correlationId` and `externalId` filter by exact text.
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
    "/label-reallocations/{id}/reversals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the reversals of a label reallocation
         * @description Newest first. Each is a label reallocation.
         */
        get: operations["listReversals"];
        put?: never;
        /**
         * Reverse a label reallocation
         * @description Creates a label reallocation the other way. All reversals of a reallocation together are at most its amount. Without `amount`, reverses the unreversed remainder; the body may be absent.
         */
        post: operations["createReversal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transfers of a customer
         * @description Deposits, withdrawals, label reallocations, and amounts set aside on labels or returned from them. Newest first.
         */
        get: operations["listTransfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the transfers of all customers
         * @description Newest first. By id, reference, correlation id, amount and time of creation; all that are given must match. A page examines a limited number of transfers, so it may be short, or empty, and have a next one.
         */
        get: operations["searchTransfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/statements/{month}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the statement of a month
         * @description The available balance and each label: opening balance, entries from the oldest on, totals and closing balance. As CSV, a row per entry and for each of the others. As PDF, for people. A month is closed one minute after its end; from then on its statement never changes.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/allocation-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the allocation rules of a customer
         * @description Newest first, with paused rules and without deleted ones.
         */
        get: operations["listAllocationRules"];
        put?: never;
        /**
         * Create an allocation rule
         * @description From now on, each deposit in the currency of the labels is divided by the steps, in their order, in its own transaction. A percentage is of the whole deposit, rounded half even; a step takes at most what is left. What is left after the last step stays available. A customer has at most one active rule per currency.
         */
        post: operations["createAllocationRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{id}/allocation-rules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the allocation of a deposit
         * @description Returns what the steps would move to labels if the amount were deposited now. Without an active rule there are no steps, and the whole amount stays available. Nothing is moved.
         */
        post: operations["previewAllocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/allocation-rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an allocation rule
         * @description A deleted rule remains readable, because deposits and ledger entries link to it.
         */
        get: operations["getAllocationRule"];
        put?: never;
        /**
         * Replace, pause or resume an allocation rule
         * @description Deposits from now on are divided by the new steps. Earlier deposits do not change.
         */
        post: operations["updateAllocationRule"];
        /**
         * Delete an allocation rule
         * @description Returns the deleted rule, which remains readable and is not listed.
         */
        delete: operations["removeAllocationRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/label-reallocation-batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a batch of label reallocations
         * @description Makes up to 1,000 label reallocations in one request of at most 1 MiB. In an atomic batch each item sees the ones before, and if one is refused, nothing is written and every refused item is named. In an independent batch a refusal is a result, so read `refused`. The batch is durable before the response is sent.
         */
        post: operations["createLabelReallocationBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/label-reallocation-batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a batch of label reallocations
         * @description The results of the items, as in the response to the creation. A batch never changes.
         */
        get: operations["getLabelReallocationBatch"];
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
         * @description Newest first, without removed owners. Not paged.
         */
        get: operations["listBeneficialOwners"];
        put?: never;
        /**
         * Create a beneficial owner
         * @description Only a business customer has beneficial owners, at most four. Blank text counts as absent. dateOfBirth, ssn and passport are stored encrypted and never returned.
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
         * @description dateOfBirth, ssn and passport are never returned. Returns 404 for a removed owner.
         */
        get: operations["getBeneficialOwner"];
        put?: never;
        /**
         * Change a beneficial owner
         * @description Only while the owner is incomplete. The owner is then verified again.
         */
        post: operations["updateBeneficialOwner"];
        /**
         * Remove a beneficial owner
         * @description Returns the owner as it was.
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
         * Retrieve the beneficial ownership of a customer
         * @description The certification status of the owners of a business.
         */
        get: operations["getBeneficialOwnership"];
        put?: never;
        /**
         * Certify the beneficial ownership of a customer
         * @description Certifies that the list of beneficial owners is complete and correct, even if it is empty. Repeating it has no effect.
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
         * @description Newest first, with the verification result of each. Not paged.
         */
        get: operations["listBeneficialOwnerDocuments"];
        put?: never;
        /**
         * Submit a document of a beneficial owner
         * @description Only while a document is needed. The file type is detected from the content; file name and Content-Type are ignored. At most 4 documents that are not rejected.
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
         * @description Newest first, with the verification result of each. Not paged.
         */
        get: operations["listCustomerDocuments"];
        put?: never;
        /**
         * Submit a document of a customer
         * @description Only while a document is needed. The file type is detected from the content; file name and Content-Type are ignored. At most 4 documents that are not rejected.
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
         * @description The verification result, with all reasons if it was rejected. The file itself is never returned.
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
         * @description Newest first: reviewer or checker, time, decision and reasons. A checker that does not decide leaves a review with the decision undecided.
         */
        get: operations["listDocumentReviews"];
        put?: never;
        /**
         * Review a document
         * @description An accepted document verifies the owner or customer that needed it. A decided document can be reviewed again, with a note, to change the decision: an owner or customer without another accepted document then needs one again. Where the operator asks for a second reviewer, a decision applies when a second one agrees. Refused while another reviewer has claimed the document.
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
         * @description One review of a document: reviewer, time, decision and reasons.
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
    "/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the documents that wait for a reviewer
         * @description Those of all customers of the account, oldest first. A claimed document is listed until it is decided. `after` need not be in the list any more.
         */
        get: operations["listWaitingDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/{id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the claim of a document
         * @description Who reviews the document, and until when. 404 if nobody does.
         */
        get: operations["getDocumentClaim"];
        put?: never;
        /**
         * Claim a document
         * @description Takes a document that waits for a reviewer, or renews the claim, for ten minutes. Meanwhile no other application and no person of the console can decide on it. An application may hold many documents. A decision ends the claim, and does not need one.
         */
        post: operations["claimDocument"];
        /**
         * Release a document
         * @description Ends the claim of this application. There is no error if it has lapsed.
         */
        delete: operations["releaseDocument"];
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
         * @description Lists every event that was committed before the request, newest first.
         *
         *     To follow the feed, store the id of the last event you have processed and send it as `after`: you get the later events, oldest
         *     first. No event is skipped, in whatever order transactions commit, and the events of a customer are in commit order.
         *     `order=oldest` without `after` starts at the oldest event that is kept. The `next` link of a page continues in the same order.
         *     If the event in `after` is not kept any more, the response is 404: you may have missed events.
         *
         *     `total` is exact; with `resourceId` it counts to at most 10,000.
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
         * @description The topic, the changed resource and the time.
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
    "/accounts/{id}/log/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the checkpoint of the transparency log
         * @description The newest checkpoint of the log of the account, a signed note in the formats of C2SP `tlog-checkpoint` and `signed-note`.
         *
         *     The log has the API of C2SP `tlog-tiles`, beside this path: `log/tile/{level}/{index}` returns hashes of the Merkle tree (RFC 6962),
         *     and `log/tile/entries/{index}` the entries. Entry n is the event at position n + 1 of the feed, as canonical JSON (RFC 8785); the entry of
         *     an event that moved money has both accounts with their sequences and balances, and that of `account_audit_head_created` the number of
         *     entries of the operators' audit log with the hash that covers them. A checkpoint covers an event within 5 seconds, and is never
         *     contradicted by a later one. Witnesses cosign it a moment later, if there are any (C2SP `tlog-witness`).
         *
         *     The member `details` of an entry is a hash of texts: SHA-256 of a salt in base64url, a line feed and canonical JSON, cut to 24 bytes,
         *     in base64url. The JSON of a transfer has its `id`, `reference`, `correlationId`, `externalId` and `metadata`; that of a customer or
         *     a label is at `log/customers/{customerId}`, with the salt of the customer. Once the salt is erased, a hash says nothing.
         *     `earmark audit` checks all of it.
         */
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/label-reallocations/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the receipt of a label reallocation
         * @description Proves that the reallocation is in the transparency log of the account: anybody with the verifier key of the log can check it without this service. With `Accept: text/plain` it is a C2SP `tlog-proof` with the entry as extra data. 503 until a checkpoint covers the reallocation, at most 5 seconds.
         */
        get: operations["getReceipt"];
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
         * @description Newest first. Secrets are never returned.
         */
        get: operations["listWebhookSubscriptions"];
        put?: never;
        /**
         * Create a webhook subscription
         * @description Every event from now on is delivered to the URL at least once. Deliveries with the same webhook-id are duplicates.
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
         * @description The secret is never returned.
         */
        get: operations["getWebhookSubscription"];
        put?: never;
        /**
         * Pause or resume a webhook subscription
         * @description A resumed subscription gets events from now on, with `replay` also those it missed. Outstanding retries continue.
         */
        post: operations["updateWebhookSubscription"];
        /**
         * Remove a webhook subscription
         * @description Nothing more is delivered. Returns the subscription as it was; its webhooks remain readable.
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
         * Rotate the secret of a webhook subscription
         * @description X-Request-Signature-SHA-256 uses the new secret immediately. For one day, webhook-signature contains a signature under each of the two secrets.
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
         * Send a test webhook
         * @description Delivers a ping, a webhook without an event. Location is the URL of the webhook.
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
         * @description Newest events first. Response bodies are truncated to 1,024 characters here. With a filter, `total` counts to at most 10,000.
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
         * @description Includes the request and the response of every delivery attempt.
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
         * List the requested retries of a webhook
         * @description Newest first. Not paged. Scheduled retries are not listed here, but as attempts of the webhook.
         */
        get: operations["listWebhookRetries"];
        put?: never;
        /**
         * Retry a webhook
         * @description Sends the webhook again now, even if it was delivered before. Location is the URL of the webhook.
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
         * Retrieve metrics
         * @description Prometheus text format 0.0.4. Only for callers on the machine of the service. 404 if METRICS_PORT is set.
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
         * @description Uses the OAuth 2.0 client credentials grant (RFC 6749 §4.4). Send the credentials in a Basic header, in form fields, or in both.
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
         * Revoke an access token
         * @description Follows RFC 7009. An invalid, expired or revoked token is not an error.
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
         * Inspect an access token
         * @description Follows RFC 7662. Tokens of other accounts are reported as inactive.
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
         * Retrieve the OAuth server metadata
         * @description The metadata of RFC 8414: endpoints, scopes, grant types and client authentication methods.
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
         * Retrieve the verification keys
         * @description The JWK set (RFC 7517) with the public keys of access tokens, to verify tokens offline.
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
         * Retrieve the account clock
         * @description The time of the account clock, and how far it is ahead.
         */
        get: operations["getClock"];
        put?: never;
        /**
         * Advance the account clock
         * @description All resources of the account use this clock: tokens expire (including yours), webhooks and checks become due, and idempotency keys, events and webhooks are deleted after their retention period. The clock cannot go back; a reset sets it to real time.
         */
        post: operations["advanceClock"];
        delete?: never;
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
         * Reset the account
         * @description Deletes all customers with their resources, events, webhook subscriptions, idempotency keys and planned faults, and sets the account clock to real time. The account, its applications and their tokens remain.
         */
        post: operations["resetAccount"];
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
         * List planned faults
         * @description Faults with requests remaining. Not paged.
         */
        get: operations["listFaults"];
        put?: never;
        /**
         * Plan a fault
         * @description The next requests of an operation, or the next webhook deliveries, get an error status, a delay or no response, so that you can test your error handling. With `effect` the operation is executed and only its response is lost.
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
         * @description Includes the number of requests that will still get the fault.
         */
        get: operations["getFault"];
        put?: never;
        post?: never;
        /**
         * Remove a planned fault
         * @description Returns the fault as it was.
         */
        delete: operations["removeFault"];
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
            /** @description A JWT (RFC 9068). */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description Lifetime in seconds. */
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
            log: components["schemas"]["TransparencyLog"];
        };
        /** @description What all customers of an account hold in each currency: available = total − labelled. */
        AccountBalance: {
            _links: {
                self: components["schemas"]["Link"];
                account: components["schemas"]["Link"];
            };
            /**
             * Format: date-time
             * @description When the balances were added up.
             */
            at: string;
            balances: components["schemas"]["AccountCurrencyBalance"][];
        };
        /** @description The clock of an account. All its resources use it. */
        AccountClock: {
            _links: {
                self: components["schemas"]["Link"];
            };
            /**
             * Format: date-time
             * @description Time of the account clock.
             */
            now: string;
            /** @description Seconds that the clock is ahead of real time. */
            aheadSeconds: number;
        };
        AccountCurrencyBalance: {
            currency: string;
            total: components["schemas"]["Amount"];
            available: components["schemas"]["Amount"];
            labelled: components["schemas"]["Amount"];
            /** @description Number of customers with a balance in the currency, which may be zero. */
            customers: number;
        };
        /** @description Number of deleted records, by type. */
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
        Allocation: {
            _links: {
                label: components["schemas"]["Link"];
                "ledger-entry": components["schemas"]["Link"];
            };
            amount: components["schemas"]["Amount"];
        };
        /** @description What the steps would move to labels, and what would stay available. */
        AllocationPreview: {
            steps: components["schemas"]["PreviewedStep"][];
            available: components["schemas"]["Amount"];
        };
        AllocationPreviewRequest: {
            amount: components["schemas"]["AmountRequest"];
        };
        AllocationRule: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
                /** @description Present unless the rule is deleted. */
                edit?: components["schemas"]["Link"];
                /** @description Present unless the rule is deleted. */
                remove?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            name: string;
            /** @description ISO 4217 code, that of its labels. The rule applies to deposits in this currency. */
            currency: string;
            steps: components["schemas"]["AllocationStep"][];
            paused: boolean;
            /** Format: date-time */
            created: string;
            /** Format: date-time */
            deleted?: string;
        };
        /** @description Either name and steps, which replace those of the rule, or paused. */
        AllocationRuleChange: {
            name?: string;
            steps?: components["schemas"]["AllocationStepRequest"][];
            /** @description A paused rule does not apply to deposits. */
            paused?: boolean;
        };
        AllocationRuleList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                "allocation-rules": components["schemas"]["AllocationRule"][];
            };
            total: number;
        };
        AllocationRuleRequest: {
            name: string;
            steps: components["schemas"]["AllocationStepRequest"][];
        };
        AllocationStep: {
            label: components["schemas"]["Link"];
            percent?: string;
            amount?: components["schemas"]["Amount"];
            until?: components["schemas"]["Amount"];
        };
        /** @description Either percent or amount. With until, the step fills its label at most up to that balance. */
        AllocationStepRequest: {
            label: components["schemas"]["LabelLink"];
            /**
             * @description Percentage of the whole deposit, above 0 up to 100, with at most two decimals.
             * @example 25.00
             */
            percent?: string;
            amount?: components["schemas"]["AmountRequest"];
            until?: components["schemas"]["AmountRequest"];
        };
        /** @description What the allocation rule moved to labels, in the order of its steps. */
        Allocations: {
            allocations: components["schemas"]["Allocation"][];
        };
        Amount: {
            /**
             * @description Decimal digits, optionally followed by a point and at most the minor digits of the currency.
             * @example 10.50
             */
            value: string;
            /**
             * @description ISO 4217 code.
             * @example USD
             */
            currency: string;
        };
        AmountOrAll: {
            /**
             * @description Decimal digits as in Amount, or `all`: what the source holds at that moment.
             * @example 10.00
             * @example all
             */
            value: string;
            /**
             * @description ISO 4217 code.
             * @example USD
             */
            currency: string;
        };
        AmountRequest: {
            /**
             * @description Decimal digits, optionally followed by a point and at most the minor digits of the currency.
             * @example 10.00
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
        BatchItem: {
            _links: {
                from: components["schemas"]["LabelLink"];
                to: components["schemas"]["LabelLink"];
            };
            amount: components["schemas"]["AmountOrAll"];
            reference?: string;
            /** @description Your identifier of the record. It does not have to be unique. */
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
        };
        BatchResult: components["schemas"]["MadeItem"] | components["schemas"]["RefusedItem"];
        BeneficialOwner: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
                documents: components["schemas"]["Link"];
                /** @description Present while the owner needs a document. */
                "verify-with-document"?: components["schemas"]["Link"];
                /** @description Present while the owner is incomplete. */
                edit?: components["schemas"]["Link"];
                /** @description Present while the owner is incomplete. */
                retry?: components["schemas"]["Link"];
                /** @description Present unless the owner is removed, or the customer is suspended or deactivated. */
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
        /** @description The members to replace. An address is replaced completely. An ssn replaces a passport and a passport replaces an ssn, unless both are given. */
        BeneficialOwnerChange: {
            firstName?: string;
            lastName?: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never returned.
             */
            dateOfBirth?: string;
            address?: components["schemas"]["BeneficialOwnerAddress"];
            /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
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
        /** @description A person who owns a part of the business. Requires ssn or passport. */
        BeneficialOwnerRequest: {
            firstName: string;
            lastName: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never returned.
             */
            dateOfBirth: string;
            address: components["schemas"]["BeneficialOwnerAddress"];
            /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
            ssn?: string;
            passport?: components["schemas"]["Passport"];
        };
        /** @enum {string} */
        BeneficialOwnerStatus: "verified" | "document" | "incomplete";
        /** @description The status `certified` becomes `recertify` when an owner is created, changed or removed. */
        BeneficialOwnership: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
                "beneficial-owners": components["schemas"]["Link"];
                /** @description Present unless the ownership is certified. */
                certify?: components["schemas"]["Link"];
            };
            /** @enum {string} */
            status: "uncertified" | "certified" | "recertify";
        };
        /** @description A soleProprietorship requires dateOfBirth and ssn of the account holder. Every other business requires ein and controller. */
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
             * @description Two-letter code of a US state.
             * @example CA
             */
            state: string;
            /** @description ZIP or ZIP+4. */
            postalCode: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never returned.
             */
            dateOfBirth?: string;
            /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
            ssn?: string;
            businessName: string;
            /** @enum {string} */
            businessType: "soleProprietorship" | "corporation" | "llc" | "partnership";
            businessClassification: string;
            /** @description Nine digits with or without a hyphen. Never returned. */
            ein?: string;
            controller?: components["schemas"]["ControllerRequest"];
            /** @description Your identifier of the record. It does not have to be unique. */
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
            address2?: string;
            phone?: string;
            doingBusinessAs?: string;
            website?: string;
            /** @description IP address of the person who filled in the form. Never returned. */
            ipAddress?: string;
        } & (unknown & unknown);
        CertificationRequest: {
            /** @enum {string} */
            status: "certified";
        };
        /** @description An application of the account, or a person of the console, without a name. */
        Claimant: {
            /** @enum {string} */
            kind: "application" | "person";
            id: string;
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
        /** @description A person who controls the business. Requires ssn or passport. */
        ControllerRequest: {
            title: string;
            firstName: string;
            lastName: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never returned.
             */
            dateOfBirth: string;
            address: components["schemas"]["Address"];
            /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
            ssn?: string;
            passport?: components["schemas"]["Passport"];
        };
        Customer: {
            _links: {
                self: components["schemas"]["Link"];
                balance: components["schemas"]["Link"];
                /** @description Present while the customer is verified. */
                labels?: components["schemas"]["Link"];
                /** @description Present for a business. */
                "beneficial-owners"?: components["schemas"]["Link"];
                /** @description Present for a business. */
                "beneficial-ownership"?: components["schemas"]["Link"];
                /** @description Present unless the type is unverified. */
                documents?: components["schemas"]["Link"];
                /** @description Present unless the customer is suspended or deactivated. */
                edit?: components["schemas"]["Link"];
                /** @description Present unless the customer is suspended or deactivated. */
                suspend?: components["schemas"]["Link"];
                /** @description Present unless the customer is deactivated. */
                deactivate?: components["schemas"]["Link"];
                /** @description Present while the customer is suspended or deactivated, unless it was created in that status. */
                reactivate?: components["schemas"]["Link"];
                /** @description Present while the status is retry. */
                "retry-verification"?: components["schemas"]["Link"];
                /** @description Present while the status is document. */
                "verify-with-document"?: components["schemas"]["Link"];
                /** @description Present for a business, unless it is certified, suspended or deactivated. */
                "certify-beneficial-ownership"?: components["schemas"]["Link"];
                /** @description Present while the customer is verified. */
                "create-label"?: components["schemas"]["Link"];
                /** @description Present while the customer is verified, or is suspended or deactivated after it was verified. */
                deposit?: components["schemas"]["Link"];
                /** @description Present while the customer is verified. */
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
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
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
        /** @description The balance of a customer in each currency: available = total − labelled. */
        CustomerBalance: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
            };
            /**
             * Format: date-time
             * @description The time of the balances, if the request names one.
             */
            at?: string;
            balances: components["schemas"]["Balance"][];
        };
        /** @description Either contact members or only status. An empty string removes an optional member. Names can be changed only of an unverified customer. metadata replaces all earlier pairs. */
        CustomerChange: {
            /** @enum {string} */
            status?: "suspended" | "deactivated" | "reactivated";
            /** Format: email */
            email?: string;
            phone?: string;
            address1?: string;
            city?: string;
            /**
             * @description Two-letter code of a US state.
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
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
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
        /** @description A change or, while the customer is in retry or unverified, its complete data. In retry the type is optional. */
        CustomerUpdate: components["schemas"]["CustomerChange"] | components["schemas"]["PersonalCustomerRequest"] | components["schemas"]["BusinessCustomerRequest"];
        DepositList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                deposits: components["schemas"]["Movement"][];
            };
            total: number;
        };
        /** @description failureReason and allFailureReasons are present only if the document was rejected. */
        Document: {
            _links: {
                self: components["schemas"]["Link"];
                /** @description Present on a document of a beneficial owner. */
                owner?: components["schemas"]["Link"];
                /** @description Present on a document of the customer. */
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
        DocumentClaim: {
            _links: {
                self: components["schemas"]["Link"];
                document: components["schemas"]["Link"];
            };
            claimedBy: components["schemas"]["Claimant"];
            /**
             * Format: date-time
             * @description When the claim lapses, unless it is renewed before.
             */
            until: string;
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
             * @description JPEG or PNG, or PDF for the type `other`; at most 10 MiB.
             */
            file: string;
        };
        /** @description A change of a resource. */
        Event: {
            _links: {
                self: components["schemas"]["Link"];
                resource: components["schemas"]["Link"];
                account: components["schemas"]["Link"];
                /** @description Present unless the event is about the account itself. */
                customer?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            topic: components["schemas"]["Topic"];
            /** Format: uuid */
            resourceId: string;
            /** @description The signed checkpoint of the transparency log; only of `account_checkpoint_created`. */
            checkpoint?: string;
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
            /** @description JSON pointer (RFC 6901) to the refused value. */
            path: string;
            _links: Record<string, never>;
        };
        FaultRequest: {
            /** @description The operationId of an operation that requires a token, or `deliverWebhook` for webhook deliveries. */
            operation: string;
            /** @description Status of the response. For an operation one of 401, 429, 500, 503; for a delivery any. */
            status?: number;
            /** @description Close the connection without a response. */
            cut?: boolean;
            /** @description Delay in milliseconds before anything else. */
            delayMs?: number;
            /** @description Whether the operation is executed and only its response is lost, as a test of Idempotency-Key. Default: false. */
            effect?: boolean;
            /** @description Number of requests that get the fault. Default: 1. */
            times?: number;
        };
        Health: {
            /** @enum {string} */
            status: "ok";
        };
        /** @description Members other than `active` are present only for an active token of the caller’s account. */
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
                /** @description Present while the customer may move money. */
                update?: components["schemas"]["Link"];
                /** @description Present while the amount is zero. */
                remove?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            amount: components["schemas"]["Amount"];
            name?: string;
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
        };
        LabelBalance: {
            _links: {
                self: components["schemas"]["Link"];
                label: components["schemas"]["Link"];
            };
            balance: components["schemas"]["Amount"];
            /**
             * Format: int64
             * @description The number of ledger entries until then.
             */
            sequence: number;
            /**
             * Format: date-time
             * @description The time of the balance, if the request names one.
             */
            at?: string;
        };
        LabelChange: {
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata: {
                [key: string]: string;
            };
        };
        /** @description Only href is needed. A link that was read can be sent back as it is. */
        LabelLink: {
            /**
             * Format: uri
             * @description URL of a label, {base}/labels/{id}.
             */
            href: string;
            type?: string;
            /** @enum {string} */
            "resource-type"?: "label";
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
                /** @description Present unless this is a reversal. */
                reversals?: components["schemas"]["Link"];
                /** @description Present while a part of the amount is not reversed. */
                reverse?: components["schemas"]["Link"];
                /** @description The reversed reallocation. Present if this is a reversal. */
                reverses?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            amount: components["schemas"]["Amount"];
            reversed?: components["schemas"]["Amount"];
            reference?: string;
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
        };
        LabelReallocationBatch: {
            _links: {
                self: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            mode: "atomic" | "independent";
            /** Format: date-time */
            created: string;
            total: number;
            succeeded: number;
            refused: number;
            _embedded: {
                results: components["schemas"]["BatchResult"][];
            };
        };
        LabelReallocationBatchRequest: {
            /**
             * @description `atomic`: all items are of one customer, and all are made or none. `independent`: each item by itself.
             * @enum {string}
             */
            mode: "atomic" | "independent";
            items: components["schemas"]["BatchItem"][];
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
                from: components["schemas"]["LabelLink"];
                to: components["schemas"]["LabelLink"];
            };
            amount: components["schemas"]["AmountRequest"];
            reference?: string;
            /** @description Your identifier of the record. It does not have to be unique. */
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
        };
        LabelRequest: {
            amount: components["schemas"]["AmountRequest"];
            name?: string;
            /** @description Your identifier of the record. It does not have to be unique. */
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
        };
        LedgerEntry: {
            _links: {
                self: components["schemas"]["Link"];
                label: components["schemas"]["Link"];
                /** @description Present if the entry is part of a label reallocation. */
                "label-reallocation"?: components["schemas"]["Link"];
                /** @description Present if an allocation rule moved a part of a deposit. */
                deposit?: components["schemas"]["Link"];
                /** @description Present if an allocation rule moved a part of a deposit. */
                "allocation-rule"?: components["schemas"]["Link"];
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
            amount: components["schemas"]["SignedAmountRequest"];
            reference?: string;
        };
        /** @description A link to a resource. A link for an action is present only while the action is allowed. */
        Link: {
            /** Format: uri */
            href: string;
            type: string;
            "resource-type": string;
        };
        MadeItem: {
            /** @description Position of the item in the request. */
            index: number;
            _links: {
                "label-reallocation": components["schemas"]["Link"];
            };
        };
        /** @description A deposit or a withdrawal. */
        Movement: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
                /** @description Present for a deposit that an allocation rule applied to. */
                "allocation-rule"?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            amount: components["schemas"]["Amount"];
            reference?: string;
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
            _embedded?: components["schemas"]["Allocations"];
        };
        MovementRequest: {
            amount: components["schemas"]["AmountRequest"];
            reference?: string;
            /** @description Your identifier of the record. It does not have to be unique. */
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
        };
        /** @description An OAuth error (RFC 6749 §5.2), with the `code` and `message` of other errors. */
        OAuthError: {
            /** @enum {string} */
            error: "invalid_client" | "invalid_request" | "unsupported_grant_type" | "invalid_scope";
            error_description: string;
            /** @enum {string} */
            code: "InvalidClient" | "InvalidRequest" | "UnsupportedGrantType" | "InvalidScope";
            message: string;
        };
        /** @description Links to the other pages of a list. */
        PageLinks: {
            self: components["schemas"]["Link"];
            first: components["schemas"]["Link"];
            last: components["schemas"]["Link"];
            /** @description Present unless this is the last page. */
            next?: components["schemas"]["Link"];
            /** @description Present with `offset`, unless this is the first page. Past the end of the list it links to the last page. */
            prev?: components["schemas"]["Link"];
        };
        /** @description Never returned. */
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
             * @description Two-letter code of a US state.
             * @example CA
             */
            state: string;
            /** @description ZIP or ZIP+4. */
            postalCode: string;
            /**
             * Format: date
             * @description 18 to 125 years ago. Never returned.
             */
            dateOfBirth: string;
            /** @description Nine digits with or without hyphens, or the last four digits. Never returned. */
            ssn: string;
            /** @description Your identifier of the record. It does not have to be unique. */
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
            address2?: string;
            phone?: string;
            doingBusinessAs?: string;
            website?: string;
            /** @description IP address of the person who filled in the form. Never returned. */
            ipAddress?: string;
        };
        /** @description A fault planned for the next requests of an operation, or for the next webhook deliveries. */
        PlannedFault: {
            _links: {
                self: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            /** @description The operationId of an operation that requires a token, or `deliverWebhook` for webhook deliveries. */
            operation: string;
            /** @description Status of the response. For an operation one of 401, 429, 500, 503; for a delivery any. */
            status?: number;
            /** @description Close the connection without a response. */
            cut?: boolean;
            /** @description Delay in milliseconds before anything else. */
            delayMs?: number;
            /** @description Whether the operation is executed and only its response is lost, as a test of Idempotency-Key. Default: false. */
            effect?: boolean;
            /** @description Number of requests that will still get the fault. */
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
        PreviewedStep: {
            _links: {
                label: components["schemas"]["Link"];
            };
            amount: components["schemas"]["Amount"];
        };
        /** @description An error. A `ValidationError`, and a `BadRequest` for a body, list the refused values in `_embedded.errors`. */
        Problem: {
            code: components["schemas"]["ProblemCode"];
            message: string;
            _links?: {
                /** @description The resource that the refusal is about. */
                about?: components["schemas"]["Link"];
            };
            _embedded?: {
                errors: components["schemas"]["Fault"][];
            };
        };
        /** @enum {string} */
        ProblemCode: "BadRequest" | "ValidationError" | "MaxNumberOfResources" | "DuplicateResource" | "InvalidFileType" | "BadFile" | "InvalidAccessToken" | "ExpiredAccessToken" | "Forbidden" | "InvalidResourceState" | "NotFound" | "MethodNotAllowed" | "InvalidVersion" | "RequestTimeout" | "Conflict" | "FileTooLarge" | "RequestTooLarge" | "UnsupportedRequestContentType" | "TooManyRequests" | "ServerError" | "ServiceUnavailable";
        Readiness: {
            /** @enum {string} */
            status: "ok" | "degraded";
            /** @description Present if `status` is `degraded`: the servers of the cluster that do not answer or are read-only, at least one of each kind. */
            away?: ("coordinator" | "workers")[];
        };
        /** @description Proof that a label reallocation is in the transparency log of the account. */
        Receipt: {
            _links: {
                self: components["schemas"]["Link"];
                "label-reallocation": components["schemas"]["Link"];
            };
            /** @description The exact text of the log entry. Its leaf hash is SHA-256 of a zero byte and this text. */
            entry: string;
            /**
             * Format: int64
             * @description The index of the entry in the log.
             */
            index: number;
            /** @description The signed checkpoint of a tree that contains the entry. */
            checkpoint: string;
            /** @description Hashes in base64, from the sibling of the leaf up to the root. */
            proof: string[];
        };
        RefusedItem: {
            /** @description Position of the item in the request. */
            index: number;
            /** @description Code of the error: that of a refused value, `NotFound` or `Forbidden`. */
            code: string;
            message: string;
            /** @description JSON pointer (RFC 6901) into the body of the request. */
            path: string;
        };
        ReversalRequest: {
            amount?: components["schemas"]["AmountRequest"];
            reference?: string;
        };
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
            /** @description Whether the review decided on the document, alone or with others that agree. False if it is undecided, or if it waits for a second reviewer or was not confirmed by one. */
            effective: boolean;
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
            /** @description At least one if rejected, in any order; none if accepted. Business reasons apply only to the type other. */
            reasons?: components["schemas"]["FailureReason"][];
            /** @description Required to change the decision on a document. */
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
            /** @description Only of a person of the console. */
            id?: string;
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
        /** @description A link to the next page of a search. */
        SearchLinks: {
            self: components["schemas"]["Link"];
            /** @description Present unless the search has ended. */
            next?: components["schemas"]["Link"];
        };
        SignedAmount: {
            /**
             * @description A decimal amount, with a minus sign if money is returned to the available balance.
             * @example -10.50
             */
            value: string;
            /**
             * @description ISO 4217 code.
             * @example USD
             */
            currency: string;
        };
        SignedAmountRequest: {
            /**
             * @description A decimal amount, with a minus sign if money is returned to the available balance.
             * @example -10.00
             */
            value: string;
            /**
             * @description ISO 4217 code.
             * @example USD
             */
            currency: string;
        };
        Statement: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
            };
            month: string;
            zone: string;
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            before: string;
            /** @description Whether the month ended more than a minute ago. Then the statement never changes. */
            closed: boolean;
            accounts: components["schemas"]["StatementAccount"][];
        };
        /** @description The available balance or a label: opening + totalIn − totalOut = closing. */
        StatementAccount: {
            _links: {
                /** @description Present unless it is the available balance. */
                label?: components["schemas"]["Link"];
            };
            currency: string;
            name?: string;
            opening: components["schemas"]["Amount"];
            _embedded: {
                "ledger-entries": components["schemas"]["StatementEntry"][];
            };
            totalIn: components["schemas"]["Amount"];
            totalOut: components["schemas"]["Amount"];
            closing: components["schemas"]["Amount"];
        };
        StatementEntry: {
            _links: {
                /** @description Present for an entry of a label. */
                self?: components["schemas"]["Link"];
                /** @description Present for an entry of a label. */
                label?: components["schemas"]["Link"];
                /** @description Present if the entry is part of a label reallocation. */
                "label-reallocation"?: components["schemas"]["Link"];
                /** @description Present if the entry is part of a deposit, or of its allocation. */
                deposit?: components["schemas"]["Link"];
                /** @description Present if an allocation rule moved a part of a deposit. */
                "allocation-rule"?: components["schemas"]["Link"];
                /** @description Present if the entry is part of a withdrawal. */
                withdrawal?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["TransferKind"];
            amount: components["schemas"]["SignedAmount"];
            balance: components["schemas"]["Amount"];
            /** Format: int64 */
            sequence: number;
            /** Format: date-time */
            created: string;
            reference?: string;
        };
        TokenParameter: {
            token: string;
            token_type_hint?: string;
            /** @description Application key. Required without a Basic header. */
            client_id?: string;
            /** @description Application secret. Required without a Basic header. */
            client_secret?: string;
        };
        TokenRequest: {
            /** @enum {string} */
            grant_type: "client_credentials";
            /** @description Requested scopes, separated by spaces. Default: all scopes of the application. */
            scope?: string;
            /** @description Application key. Required without a Basic header. */
            client_id?: string;
            /** @description Application secret. Required without a Basic header. */
            client_secret?: string;
        };
        /** @enum {string} */
        Topic: "customer_created" | "customer_updated" | "customer_verified" | "customer_suspended" | "customer_activated" | "customer_deactivated" | "customer_reverification_needed" | "customer_verification_document_needed" | "customer_erased" | "customer_verification_document_uploaded" | "customer_verification_document_approved" | "customer_verification_document_failed" | "customer_beneficial_owner_created" | "customer_beneficial_owner_removed" | "customer_beneficial_owner_verified" | "customer_beneficial_owner_reverification_needed" | "customer_beneficial_owner_verification_document_needed" | "customer_beneficial_owner_verification_document_uploaded" | "customer_beneficial_owner_verification_document_approved" | "customer_beneficial_owner_verification_document_failed" | "customer_label_created" | "customer_label_updated" | "customer_label_removed" | "customer_label_ledger_entry_created" | "customer_label_reallocation_created" | "customer_deposit_created" | "customer_withdrawal_created" | "account_checkpoint_created" | "account_audit_head_created";
        /** @description A movement of money. `self` is the deposit, withdrawal or label reallocation; of a transfer between the available balance and a label (`label`, `allocation`), the ledger entry of the label. */
        Transfer: {
            _links: {
                self: components["schemas"]["Link"];
                customer: components["schemas"]["Link"];
                /** @description Present if the money left a label. */
                from?: components["schemas"]["Link"];
                /** @description Present if the money arrived at a label. */
                to?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["TransferKind"];
            /** Format: date-time */
            created: string;
            amount: components["schemas"]["Amount"];
            /**
             * Format: uuid
             * @description Id of the label that the money left.
             */
            from?: string;
            /**
             * Format: uuid
             * @description Id of the label at which the money arrived.
             */
            to?: string;
            reference?: string;
            correlationId?: string;
        };
        /** @enum {string} */
        TransferKind: "reallocation" | "label" | "deposit" | "withdrawal" | "allocation" | "reversal";
        TransferList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                transfers: components["schemas"]["Transfer"][];
            };
            total: number;
        };
        /** @description A page of transfers of all customers. A page may be short, or empty, and have a next one. */
        TransferSearchResult: {
            _links: components["schemas"]["SearchLinks"];
            _embedded: {
                transfers: components["schemas"]["Transfer"][];
            };
        };
        /** @description The transparency log of the account: what an auditor has to know. */
        TransparencyLog: {
            /** @description The first line of each checkpoint, and the name of its keys. */
            origin: string;
            /** @description The verifier key of the checkpoints (C2SP signed-note). Store it before you need it. */
            key: string;
            /** @description Earlier keys, newest first. */
            formerKeys?: string[];
        };
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
             * @description Two-letter code of a US state.
             * @example CA
             */
            state?: string;
            /** @description ZIP or ZIP+4. */
            postalCode?: string;
            businessName?: string;
            /** @description Your identifier of the record. It does not have to be unique. */
            correlationId?: string;
            /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
            externalId?: string;
            /** @description Your own data: up to 20 pairs. Keys have 1 to 40 characters of A-Z, a-z, 0-9, _, . and -. */
            metadata?: {
                [key: string]: string;
            };
            address2?: string;
            phone?: string;
            doingBusinessAs?: string;
            website?: string;
            /** @description IP address of the person who filled in the form. Never returned. */
            ipAddress?: string;
        };
        WaitingDocumentList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                documents: components["schemas"]["Document"][];
            };
            total: number;
        };
        /** @description The delivery of an event to a subscription. The topic of a ping is `webhook_subscription_pinged`. */
        Webhook: {
            _links: {
                self: components["schemas"]["Link"];
                subscription: components["schemas"]["Link"];
                /** @description Present except on a ping. */
                event?: components["schemas"]["Link"];
                /** @description Present unless the subscription is paused or removed. */
                retry?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            topic: string;
            /** Format: uuid */
            accountId: string;
            /**
             * Format: uuid
             * @description Absent on a ping, which has no event.
             */
            eventId?: string;
            /** Format: uuid */
            subscriptionId: string;
            /**
             * Format: date-time
             * @description Present while an attempt is planned and the subscription is not paused.
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
            /** @description Error message, if there was no complete response. */
            error?: string;
        };
        /** @description An event, as delivered to a subscription. */
        WebhookDelivery: {
            _links: {
                self: components["schemas"]["Link"];
                resource: components["schemas"]["Link"];
                account: components["schemas"]["Link"];
                /** @description Present unless the event is about the account itself. */
                customer?: components["schemas"]["Link"];
            };
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created: string;
            topic: components["schemas"]["Topic"];
            /** Format: uuid */
            resourceId: string;
            /** @description The signed checkpoint of the transparency log; only of `account_checkpoint_created`. */
            checkpoint?: string;
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
        WebhookList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                webhooks: components["schemas"]["Webhook"][];
            };
            total: number;
        };
        /** @description A test delivery without an event. */
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
            /** @description The signed checkpoint of the transparency log; only of `account_checkpoint_created`. */
            checkpoint?: string;
            /**
             * Format: date-time
             * @description The same as `created`.
             */
            timestamp: string;
        };
        /** @description A delivery attempt that was requested. */
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
            /** @description The key that signs deliveries. Never returned. `whsec_` followed by base64 (Standard Webhooks) encodes the bytes of the key; any other text is the key itself. */
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
            /** @description Set by a request, by a 410 response, or after 400 consecutive failures and 24 hours without a success. */
            paused: boolean;
            /** Format: date-time */
            created: string;
            topics?: components["schemas"]["Topic"][];
        };
        WebhookSubscriptionChange: {
            paused: boolean;
            /** @description With `paused: false`: also deliver events from while the subscription was paused. Default: skip them. */
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
             * @description URL that receives events by POST. Must be https in production.
             */
            url: string;
            /** @description The key that signs deliveries. Never returned. `whsec_` followed by base64 (Standard Webhooks) encodes the bytes of the key; any other text is the key itself. */
            secret: string;
            /** @description Topics to deliver. Default: all topics. */
            topics?: components["schemas"]["Topic"][];
        };
        WithdrawalList: {
            _links: components["schemas"]["PageLinks"];
            _embedded: {
                withdrawals: components["schemas"]["Movement"][];
            };
            total: number;
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
export type AccountBalance = components['schemas']['AccountBalance'];
export type AccountClock = components['schemas']['AccountClock'];
export type AccountCurrencyBalance = components['schemas']['AccountCurrencyBalance'];
export type AccountReset = components['schemas']['AccountReset'];
export type Address = components['schemas']['Address'];
export type Allocation = components['schemas']['Allocation'];
export type AllocationPreview = components['schemas']['AllocationPreview'];
export type AllocationPreviewRequest = components['schemas']['AllocationPreviewRequest'];
export type AllocationRule = components['schemas']['AllocationRule'];
export type AllocationRuleChange = components['schemas']['AllocationRuleChange'];
export type AllocationRuleList = components['schemas']['AllocationRuleList'];
export type AllocationRuleRequest = components['schemas']['AllocationRuleRequest'];
export type AllocationStep = components['schemas']['AllocationStep'];
export type AllocationStepRequest = components['schemas']['AllocationStepRequest'];
export type Allocations = components['schemas']['Allocations'];
export type Amount = components['schemas']['Amount'];
export type AmountOrAll = components['schemas']['AmountOrAll'];
export type AmountRequest = components['schemas']['AmountRequest'];
export type AuthorizationServer = components['schemas']['AuthorizationServer'];
export type Balance = components['schemas']['Balance'];
export type BatchItem = components['schemas']['BatchItem'];
export type BatchResult = components['schemas']['BatchResult'];
export type BeneficialOwner = components['schemas']['BeneficialOwner'];
export type BeneficialOwnerAddress = components['schemas']['BeneficialOwnerAddress'];
export type BeneficialOwnerChange = components['schemas']['BeneficialOwnerChange'];
export type BeneficialOwnerList = components['schemas']['BeneficialOwnerList'];
export type BeneficialOwnerRequest = components['schemas']['BeneficialOwnerRequest'];
export type BeneficialOwnerStatus = components['schemas']['BeneficialOwnerStatus'];
export type BeneficialOwnership = components['schemas']['BeneficialOwnership'];
export type BusinessCustomerRequest = components['schemas']['BusinessCustomerRequest'];
export type CertificationRequest = components['schemas']['CertificationRequest'];
export type Claimant = components['schemas']['Claimant'];
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
export type DepositList = components['schemas']['DepositList'];
export type Document = components['schemas']['Document'];
export type DocumentClaim = components['schemas']['DocumentClaim'];
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
export type LabelBalance = components['schemas']['LabelBalance'];
export type LabelChange = components['schemas']['LabelChange'];
export type LabelLink = components['schemas']['LabelLink'];
export type LabelList = components['schemas']['LabelList'];
export type LabelReallocation = components['schemas']['LabelReallocation'];
export type LabelReallocationBatch = components['schemas']['LabelReallocationBatch'];
export type LabelReallocationBatchRequest = components['schemas']['LabelReallocationBatchRequest'];
export type LabelReallocationList = components['schemas']['LabelReallocationList'];
export type LabelReallocationRequest = components['schemas']['LabelReallocationRequest'];
export type LabelRequest = components['schemas']['LabelRequest'];
export type LedgerEntry = components['schemas']['LedgerEntry'];
export type LedgerEntryList = components['schemas']['LedgerEntryList'];
export type LedgerEntryRequest = components['schemas']['LedgerEntryRequest'];
export type Link = components['schemas']['Link'];
export type MadeItem = components['schemas']['MadeItem'];
export type Movement = components['schemas']['Movement'];
export type MovementRequest = components['schemas']['MovementRequest'];
export type OAuthError = components['schemas']['OAuthError'];
export type PageLinks = components['schemas']['PageLinks'];
export type Passport = components['schemas']['Passport'];
export type PersonalCustomerRequest = components['schemas']['PersonalCustomerRequest'];
export type PlannedFault = components['schemas']['PlannedFault'];
export type PlannedFaultList = components['schemas']['PlannedFaultList'];
export type PreviewedStep = components['schemas']['PreviewedStep'];
export type Problem = components['schemas']['Problem'];
export type ProblemCode = components['schemas']['ProblemCode'];
export type Readiness = components['schemas']['Readiness'];
export type Receipt = components['schemas']['Receipt'];
export type RefusedItem = components['schemas']['RefusedItem'];
export type ReversalRequest = components['schemas']['ReversalRequest'];
export type Review = components['schemas']['Review'];
export type ReviewList = components['schemas']['ReviewList'];
export type ReviewRequest = components['schemas']['ReviewRequest'];
export type Reviewer = components['schemas']['Reviewer'];
export type Root = components['schemas']['Root'];
export type SearchLinks = components['schemas']['SearchLinks'];
export type SignedAmount = components['schemas']['SignedAmount'];
export type SignedAmountRequest = components['schemas']['SignedAmountRequest'];
export type Statement = components['schemas']['Statement'];
export type StatementAccount = components['schemas']['StatementAccount'];
export type StatementEntry = components['schemas']['StatementEntry'];
export type TokenParameter = components['schemas']['TokenParameter'];
export type TokenRequest = components['schemas']['TokenRequest'];
export type Topic = components['schemas']['Topic'];
export type Transfer = components['schemas']['Transfer'];
export type TransferKind = components['schemas']['TransferKind'];
export type TransferList = components['schemas']['TransferList'];
export type TransferSearchResult = components['schemas']['TransferSearchResult'];
export type TransparencyLog = components['schemas']['TransparencyLog'];
export type UnverifiedCustomerRequest = components['schemas']['UnverifiedCustomerRequest'];
export type WaitingDocumentList = components['schemas']['WaitingDocumentList'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookAttempt = components['schemas']['WebhookAttempt'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookHeader = components['schemas']['WebhookHeader'];
export type WebhookList = components['schemas']['WebhookList'];
export type WebhookPing = components['schemas']['WebhookPing'];
export type WebhookRetry = components['schemas']['WebhookRetry'];
export type WebhookRetryList = components['schemas']['WebhookRetryList'];
export type WebhookSecretRequest = components['schemas']['WebhookSecretRequest'];
export type WebhookSubscription = components['schemas']['WebhookSubscription'];
export type WebhookSubscriptionChange = components['schemas']['WebhookSubscriptionChange'];
export type WebhookSubscriptionList = components['schemas']['WebhookSubscriptionList'];
export type WebhookSubscriptionRequest = components['schemas']['WebhookSubscriptionRequest'];
export type WithdrawalList = components['schemas']['WithdrawalList'];
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
                    "application/json": components["schemas"]["Readiness"];
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
                /** @description Id of the resource. */
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
    getAccountBalance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What all customers of an account hold in each currency: available = total − labelled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["AccountBalance"];
                };
            };
        };
    };
    listCustomers: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Part of a name, business name or email. Case, accents and kinds of apostrophes do not count. */
                search?: string;
                /** @description Exact email. Not case-sensitive. */
                email?: string;
                /** @description Status of the customers. Repeat the parameter for several statuses. */
                status?: components["schemas"]["CustomerStatus"][];
                /** @description Your identifier of the record. It does not have to be unique. */
                correlationId?: string;
                /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
                externalId?: string;
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A change or, while the customer is in retry or unverified, its complete data. In retry the type is optional. */
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
            query?: {
                /** @description Return the balance after everything created at or before this time. A time in the last minute is provisional: what is in progress may still be created at it. */
                at?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The balance of a customer in each currency: available = total − labelled. */
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
    listDeposits: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Return the elements after the one with this id. */
                after?: string;
                /** @description Only what was created at this time or later. */
                createdFrom?: string;
                /** @description Only what was created before this time. */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["DepositList"];
                };
            };
        };
    };
    createDeposit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
    listWithdrawals: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Return the elements after the one with this id. */
                after?: string;
                /** @description Only what was created at this time or later. */
                createdFrom?: string;
                /** @description Only what was created before this time. */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["WithdrawalList"];
                };
            };
        };
    };
    createWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Your identifier of the record. It does not have to be unique. */
                correlationId?: string;
                /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
                externalId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
    updateLabel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelChange"];
                "application/json": components["schemas"]["LabelChange"];
            };
        };
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
                /** @description Id of the resource. */
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
    getLabelBalance: {
        parameters: {
            query?: {
                /** @description Return the balance after everything created at or before this time. A time in the last minute is provisional: what is in progress may still be created at it. */
                at?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelBalance"];
                };
            };
        };
    };
    listLedgerEntries: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Return the elements after the one with this id. */
                after?: string;
                /** @description Only what was created at this time or later. */
                createdFrom?: string;
                /** @description Only what was created before this time. */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Return the elements after the one with this id. */
                after?: string;
                /** @description Only what was created at this time or later. */
                createdFrom?: string;
                /** @description Only what was created before this time. */
                createdBefore?: string;
                /** @description Exact reference. */
                reference?: string;
                /** @description Your identifier of the record. It does not have to be unique. */
                correlationId?: string;
                /** @description Your own id of the record: visible ASCII characters. No two records of one kind and customer have the same. */
                externalId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
    listReversals: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
    createReversal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["ReversalRequest"];
                "application/json": components["schemas"]["ReversalRequest"];
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
    listTransfers: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Return the elements after the one with this id. */
                after?: string;
                /** @description Only what was created at this time or later. */
                createdFrom?: string;
                /** @description Only what was created before this time. */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["TransferList"];
                };
            };
        };
    };
    searchTransfers: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Return the elements after the one with this id. */
                after?: string;
                /** @description Only what was created at this time or later. */
                createdFrom?: string;
                /** @description Only what was created before this time. */
                createdBefore?: string;
                /** @description Id of a transfer, or of one of its ledger entries. */
                id?: string;
                /** @description Exact reference. */
                reference?: string;
                /** @description Your identifier of the record. It does not have to be unique. */
                correlationId?: string;
                /** @description Exact amount, with `currency`. Combine it with a day. */
                amount?: string;
                /**
                 * @description ISO 4217 code of `amount`.
                 * @example USD
                 */
                currency?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of transfers of all customers. A page may be short, or empty, and have a next one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["TransferSearchResult"];
                };
            };
        };
    };
    getStatement: {
        parameters: {
            query?: {
                /** @description Only this currency. */
                currency?: string;
                /** @description Only the label with this id. */
                label?: string;
                /**
                 * @description The IANA time zone of the month. Default: UTC.
                 * @example Europe/Berlin
                 */
                zone?: string;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
                /** @description The month, such as 2026-01. */
                month: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statement. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Statement"];
                    "text/csv": string;
                    "application/pdf": string;
                };
            };
        };
    };
    listAllocationRules: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["AllocationRuleList"];
                };
            };
        };
    };
    createAllocationRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["AllocationRuleRequest"];
                "application/json": components["schemas"]["AllocationRuleRequest"];
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
    previewAllocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["AllocationPreviewRequest"];
                "application/json": components["schemas"]["AllocationPreviewRequest"];
            };
        };
        responses: {
            /** @description What the steps would move to labels, and what would stay available. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["AllocationPreview"];
                };
            };
        };
    };
    getAllocationRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["AllocationRule"];
                };
            };
        };
    };
    updateAllocationRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description Either name and steps, which replace those of the rule, or paused. */
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["AllocationRuleChange"];
                "application/json": components["schemas"]["AllocationRuleChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["AllocationRule"];
                };
            };
        };
    };
    removeAllocationRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["AllocationRule"];
                };
            };
        };
    };
    createLabelReallocationBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelReallocationBatchRequest"];
                "application/json": components["schemas"]["LabelReallocationBatchRequest"];
            };
        };
        responses: {
            /** @description Created. Location is the URL of the new resource. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelReallocationBatch"];
                };
            };
        };
    };
    getLabelReallocationBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["LabelReallocationBatch"];
                };
            };
        };
    };
    listBeneficialOwners: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description A person who owns a part of the business. Requires ssn or passport. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The members to replace. An address is replaced completely. An ssn replaces a passport and a passport replaces an ssn, unless both are given. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status `certified` becomes `recertify` when an owner is created, changed or removed. */
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
                /** @description Id of the resource. */
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
            /** @description The status `certified` becomes `recertify` when an owner is created, changed or removed. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description failureReason and allFailureReasons are present only if the document was rejected. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
    listWaitingDocuments: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Return the elements after the one with this id. */
                after?: string;
                /** @description `pending`: documents that wait for a first or a second reviewer. */
                status?: "pending";
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["WaitingDocumentList"];
                };
            };
        };
    };
    getDocumentClaim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["DocumentClaim"];
                };
            };
        };
    };
    claimDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["DocumentClaim"];
                };
            };
        };
    };
    releaseDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Return the elements after the one with this id. */
                after?: string;
                /** @description `newest` or `oldest` first. Default: `oldest` with `after`, else `newest`. */
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
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A change of a resource. */
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
    getCheckpoint: {
        parameters: {
            query?: {
                /** @description The newest checkpoint that enough of the witnesses (`LOG_WITNESSES`) have cosigned. 404 as long as there is none. */
                witnessed?: "true";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                    "text/plain": string;
                };
            };
        };
    };
    getReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Proof that a label reallocation is in the transparency log of the account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.earmark.v1.hal+json": components["schemas"]["Receipt"];
                };
            };
        };
    };
    listWebhookSubscriptions: {
        parameters: {
            query?: {
                /** @description Maximum number of elements on a page. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
                /** @description Maximum number of elements on a page. */
                limit?: number;
                /** @description Number of elements to skip. */
                offset?: number;
                /** @description Return the elements after the one with this id. */
                after?: string;
                /** @description Webhooks of events from this date or time on. */
                startDate?: string;
                /** @description Webhooks of events up to and including this date or time. */
                endDate?: string;
                /** @description Webhooks of events about this resource. */
                resourceId?: string;
                /** @description `pending`: not attempted yet; `failed`: the last attempt failed. */
                status?: "delivered" | "pending" | "failed";
            };
            header?: never;
            path: {
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery of an event to a subscription. The topic of a ping is `webhook_subscription_pinged`. */
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
                /** @description Id of the resource. */
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
                /** @description Id of the resource. */
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
            /** @description The token is not valid any more. */
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
            /** @description Members other than `active` are present only for an active token of the caller’s account. */
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
            /** @description The clock of an account. All its resources use it. */
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
            /** @description The clock of an account. All its resources use it. */
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
    resetAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Number of deleted records, by type. */
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
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A fault planned for the next requests of an operation, or for the next webhook deliveries. */
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
                /** @description Id of the resource. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A fault planned for the next requests of an operation, or for the next webhook deliveries. */
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
}
