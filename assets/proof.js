// Verifies receipts: compiled from packages/proof by PROOF_WRITE=1 node --test test/proof-script.test.ts. Do not edit.
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
function concat(...parts) {
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
    }
    return bytes;
}
function isEqual(one, other) {
    return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
function fromBinary(text) {
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++)
        bytes[at] = text.charCodeAt(at);
    return bytes;
}
function toBase64(bytes) {
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
function fromBase64(text) {
    return BASE64.test(text) ? fromBinary(atob(text)) : undefined;
}
function toHex(bytes) {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
function encodeText(text) {
    return new TextEncoder().encode(text);
}
function decodeText(bytes) {
    return decoder.decode(bytes);
}
const LATE_DIGIT = 'f';
function isLate({ id }) {
    return id.endsWith(LATE_DIGIT);
}
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const AMOUNT = /^\d{1,18}(\.\d{1,4})?$/;
const BALANCE = /^-?\d{1,18}(\.\d{1,4})?$/;
const SEQUENCE = /^[1-9]\d{0,14}$/;
const FORMS = {
    amount: AMOUNT,
    auditEntries: SEQUENCE,
    auditHash: /^[0-9a-f]{64}$/,
    created: TIME,
    currency: /^[A-Z]{3}$/,
    customer: ID,
    deposit: ID,
    details: /^[\w-]{32}$/,
    from: ID,
    fromBalance: BALANCE,
    fromSequence: SEQUENCE,
    id: ID,
    resourceId: ID,
    return: ID,
    reverses: ID,
    rule: ID,
    to: ID,
    toBalance: BALANCE,
    toSequence: SEQUENCE,
    topic: /^[a-z_]{1,100}$/,
};
const MEMBERS = Object.keys(FORMS);
const REQUIRED = ['id', 'topic', 'created', 'resourceId'];
const MONEY = [
    ...['amount', 'currency', 'from', 'fromBalance', 'fromSequence', 'to', 'toBalance', 'toSequence'],
];
function encodeEntry(entry) {
    const { created, id, resourceId, topic, customer, details, auditEntries, auditHash } = entry;
    const audit = auditHash === undefined ? '' : `"auditEntries":${auditEntries},"auditHash":"${auditHash}",`;
    const head = customer === undefined ? '' : `"customer":"${customer}",`;
    const hash = details === undefined ? '' : `"details":"${details}",`;
    if (entry.amount === undefined)
        return `{${audit}"created":"${created}",${head}${hash}"id":"${id}","resourceId":"${resourceId}","topic":"${topic}"}`;
    const { amount, currency, deposit, reverses, rule, from, fromBalance, fromSequence, to, toBalance, toSequence } = entry;
    const returned = entry.return;
    return (`{"amount":"${amount}","created":"${created}","currency":"${currency}",${head}` +
        `${deposit === undefined ? '' : `"deposit":"${deposit}",`}${hash}"from":"${from}","fromBalance":"${fromBalance}",` +
        `"fromSequence":${fromSequence},"id":"${id}","resourceId":"${resourceId}",` +
        `${returned === undefined ? '' : `"return":"${returned}",`}${reverses === undefined ? '' : `"reverses":"${reverses}",`}` +
        `${rule === undefined ? '' : `"rule":"${rule}",`}"to":"${to}","toBalance":"${toBalance}","toSequence":${toSequence},"topic":"${topic}"}`);
}
function parseEntry(text) {
    return JSON.parse(decodeText(text));
}
function readEntry(text) {
    let entry;
    try {
        entry = parseEntry(text);
    }
    catch {
        return { fault: 'is not JSON' };
    }
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
        return { fault: 'is not an event' };
    const fault = faultOf(entry);
    return fault === undefined ? entry : { fault };
}
function moneyOf(entry) {
    return entry.amount === undefined ? undefined : entry;
}
function faultOf(entry) {
    const missing = REQUIRED.find((name) => entry[name] === undefined);
    if (missing)
        return `is not an event: it has no ${missing}`;
    for (const name of MEMBERS) {
        const value = entry[name];
        if (value === undefined)
            continue;
        const isOfType = typeof value === (FORMS[name] === SEQUENCE ? 'number' : 'string');
        if (!isOfType || !FORMS[name].test(String(value)))
            return `has a malformed ${name}: ${JSON.stringify(value)}`;
    }
    if (Number.isNaN(Date.parse(entry.created)))
        return `has a malformed created: "${entry.created}"`;
    const given = MONEY.filter((name) => entry[name] !== undefined);
    if (given.length === 0)
        return undefined;
    const lacking = MONEY.find((name) => entry[name] === undefined);
    if (lacking)
        return `has a malformed transfer: it has no ${lacking}`;
    if (entry.from === entry.to)
        return 'has a malformed transfer: both accounts are the same';
    const decimals = new Set([entry.amount, entry.fromBalance, entry.toBalance].map(decimalsOf));
    return decimals.size > 1 ? 'has a malformed amount: its decimals are not those of the balances' : undefined;
}
function decimalsOf(amount) {
    return (amount.split('.')[1] ?? '').length;
}
const native = globalThis.process?.getBuiltinModule?.('node:crypto')?.hash;
const sha256 = native
    ? (data, encoding) => native('sha256', data, encoding)
    : (data, encoding) => {
        const digest = digestOf(typeof data === 'string' ? new TextEncoder().encode(data) : data);
        return encoding === 'binary' ? digest : btoa(digest).replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
    };
const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;
const primes = Array.from({ length: 312 }, (_, number) => number).filter((number) => number > 1 && !Array.from({ length: number }, (_, other) => other).some((other) => other > 1 && number % other === 0));
const fractionOf = (root) => ((root % 1) * 2 ** 32) | 0;
const CONSTANTS = Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));
const START = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));
function digestOf(data) {
    const blocks = Math.ceil((data.length + 1 + LENGTH_BYTES) / BLOCK_BYTES);
    const padded = new DataView(new ArrayBuffer(blocks * BLOCK_BYTES));
    const bytes = new Uint8Array(padded.buffer);
    bytes.set(data);
    bytes[data.length] = 0x80;
    padded.setBigUint64(bytes.length - LENGTH_BYTES, BigInt(data.length) * 8n);
    const state = START.slice();
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES)
        addBlock(state, padded, at);
    return Array.from(state, (word) => String.fromCharCode(word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255)).join('');
}
const words = new Int32Array(CONSTANTS.length);
function addBlock(state, padded, start) {
    for (let t = 0; t < 16; t++)
        words[t] = padded.getInt32(start + 4 * t);
    for (let t = 16; t < words.length; t++) {
        const [before, after] = [words[t - 15], words[t - 2]];
        const small0 = turned(before, 7) ^ turned(before, 18) ^ (before >>> 3);
        const small1 = turned(after, 17) ^ turned(after, 19) ^ (after >>> 10);
        words[t] = small1 + words[t - 7] + small0 + words[t - 16];
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < words.length; t++) {
        const large1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
        const first = (h + large1 + ((e & f) ^ (~e & g)) + CONSTANTS[t] + words[t]) | 0;
        const large0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
        const second = (large0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        h = g;
        g = f;
        f = e;
        e = (d + first) | 0;
        d = c;
        c = b;
        b = a;
        a = (first + second) | 0;
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries())
        state[at] += word;
}
function turned(word, bits) {
    return (word >>> bits) | (word << (32 - bits));
}
const HASH_BYTES = 32;
const EMPTY_ROOT = fromBinary(sha256('', 'binary'));
const LEAF = 0;
const NODE = 1;
function hashLeaf(entry) {
    return fromBinary(sha256(concat(Uint8Array.of(LEAF), entry), 'binary'));
}
const children = new Uint8Array(1 + 2 * HASH_BYTES).fill(NODE);
function hashChildren(left, right) {
    children.set(left, 1);
    children.set(right, 1 + HASH_BYTES);
    return fromBinary(sha256(children, 'binary'));
}
function rootOfHashes(hashes) {
    const level = new Uint8Array(hashes);
    for (let { length } = level; length > HASH_BYTES; length /= 2) {
        for (let at = 0; at < length; at += 2 * HASH_BYTES) {
            for (let byte = 0; byte < 2 * HASH_BYTES; byte++)
                children[1 + byte] = level[at + byte];
            const digest = sha256(children, 'binary');
            for (let byte = 0; byte < HASH_BYTES; byte++)
                level[at / 2 + byte] = digest.charCodeAt(byte);
        }
    }
    return level.subarray(0, HASH_BYTES);
}
function rootAt(size, hashAt) {
    return size === 0 ? EMPTY_ROOT : rootOf(0, size, hashAt);
}
function proveInclusion(index, size, hashAt) {
    const path = [];
    let [low, high] = [0, size];
    while (high - low > 1) {
        const middle = low + splitOf(high - low);
        const isLeft = index < middle;
        path.push(isLeft ? rootOf(middle, high, hashAt) : rootOf(low, middle, hashAt));
        [low, high] = isLeft ? [low, middle] : [middle, high];
    }
    return path.reverse();
}
function rootOfProof(leaf, { index, size, proof }) {
    if (!(index >= 0 && index < size))
        return undefined;
    const lefts = [];
    for (let [low, high] = [0, size]; high - low > 1;) {
        const middle = low + splitOf(high - low);
        const isLeft = index < middle;
        lefts.push(isLeft);
        [low, high] = isLeft ? [low, middle] : [middle, high];
    }
    if (lefts.length !== proof.length)
        return undefined;
    return proof.reduce((at, sibling) => (lefts.pop() ? hashChildren(at, sibling) : hashChildren(sibling, at)), leaf);
}
function proveConsistency(old, size, hashAt) {
    if (old === 0 || old === size)
        return [];
    const path = [];
    let [low, high, isKnown] = [0, size, true];
    while (old < high) {
        const middle = low + splitOf(high - low);
        const isLeft = old <= middle;
        path.push(isLeft ? rootOf(middle, high, hashAt) : rootOf(low, middle, hashAt));
        if (isLeft)
            high = middle;
        else
            [low, isKnown] = [middle, false];
    }
    if (!isKnown)
        path.push(rootOf(low, high, hashAt));
    return path.reverse();
}
function isConsistent(old, tree, proof) {
    if (old.size > tree.size)
        return false;
    if (old.size === tree.size)
        return proof.length === 0 && isEqual(old.root, tree.root);
    if (old.size === 0)
        return proof.length === 0;
    const isPerfect = 2 ** Math.round(Math.log2(old.size)) === old.size;
    const path = isPerfect ? [old.root, ...proof] : [...proof];
    let [at, last] = [old.size - 1, tree.size - 1];
    const up = () => {
        [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    };
    while (at % 2 === 1)
        up();
    const first = path.shift();
    if (!first)
        return false;
    let [oldRoot, root] = [first, first];
    for (const sibling of path) {
        if (last === 0)
            return false;
        if (at % 2 === 1 || at === last) {
            [oldRoot, root] = [hashChildren(sibling, oldRoot), hashChildren(sibling, root)];
            while (at % 2 === 0 && at !== 0)
                up();
        }
        else
            root = hashChildren(root, sibling);
        up();
    }
    return last === 0 && isEqual(oldRoot, old.root) && isEqual(root, tree.root);
}
function rootOf(low, high, hashAt) {
    const leaves = high - low;
    const height = Math.log2(leaves);
    if (Number.isInteger(height))
        return hashAt(height, low / leaves);
    const middle = low + splitOf(leaves);
    return hashChildren(rootOf(low, middle, hashAt), rootOf(middle, high, hashAt));
}
function splitOf(leaves) {
    return 2 ** (Math.ceil(Math.log2(leaves)) - 1);
}
const KEY_KINDS = { note: 1, cosignature: 4 };
const KEY_ID_BYTES = 4;
const KEY_BYTES = 32;
const SIGNATURE = /^— (\S+) (\S+)$/;
const SIZE = /^(?:0|[1-9]\d{0,14})$/;
function formatVerifier(verifier, kind = 'note') {
    const key = toBase64(concat(Uint8Array.of(KEY_KINDS[kind]), verifier.publicKey));
    return `${verifier.name}+${toHex(idOf(verifier, kind))}+${key}`;
}
function parseVerifier(text, kind = 'note') {
    const [, name, id, key] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? [];
    const bytes = fromBase64(key ?? '');
    if (!name || bytes?.[0] !== KEY_KINDS[kind] || bytes.length !== 1 + KEY_BYTES)
        return undefined;
    const verifier = { name, publicKey: bytes.subarray(1) };
    return toHex(idOf(verifier, kind)) === id ? verifier : undefined;
}
function textOfCheckpoint({ origin, size, root }) {
    return `${origin}\n${size}\n${toBase64(root)}\n`;
}
function parseCheckpoint(note) {
    const parts = splitNote(note);
    const [origin, size, root, ...rest] = parts?.text.split('\n') ?? [];
    const bytes = fromBase64(root ?? '');
    if (!origin || !SIZE.test(size ?? '') || bytes?.length !== HASH_BYTES || rest.at(-1) !== '')
        return undefined;
    return { origin, size: Number(size), root: bytes };
}
function formatSignature(verifier, signature, kind = 'note') {
    return `— ${verifier.name} ${toBase64(concat(idOf(verifier, kind), signature))}\n`;
}
function signaturesOf(note, verifier, kind = 'note') {
    const id = idOf(verifier, kind);
    return (splitNote(note)?.signatures ?? []).flatMap((line) => {
        const [, name, signature = ''] = SIGNATURE.exec(line) ?? [];
        const bytes = name === verifier.name ? fromBase64(signature) : undefined;
        return bytes && isEqual(bytes.subarray(0, KEY_ID_BYTES), id) ? [bytes.subarray(KEY_ID_BYTES)] : [];
    });
}
function splitNote(note) {
    const end = note.lastIndexOf('\n\n');
    if (end < 0 || !note.endsWith('\n'))
        return undefined;
    const signatures = note.slice(end + 2, -1).split('\n');
    return signatures.every((line) => SIGNATURE.test(line)) ? { text: note.slice(0, end + 1), signatures } : undefined;
}
function idOf({ name, publicKey }, kind) {
    const text = concat(encodeText(`${name}\n`), Uint8Array.of(KEY_KINDS[kind]), publicKey);
    return fromBinary(sha256(text, 'binary').slice(0, KEY_ID_BYTES));
}
const TIME_BYTES = 8;
function messageOf(note, seconds) {
    return encodeText(`cosignature/v1\ntime ${seconds}\n${splitNote(note)?.text ?? ''}`);
}
function cosignaturesOf(note, witness) {
    return signaturesOf(note, witness, 'cosignature').flatMap((bytes) => {
        if (bytes.length <= TIME_BYTES)
            return [];
        const seconds = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
        return [{ message: messageOf(note, seconds), signature: bytes.subarray(TIME_BYTES) }];
    });
}
function isQuorum(cosigned, { quorum }) {
    return new Set(cosigned.map(({ publicKey }) => toHex(publicKey))).size >= quorum;
}
async function isSigned(note, verifier) {
    const message = encodeText(splitNote(note)?.text ?? '');
    return isAnyValid(verifier, signaturesOf(note, verifier).map((signature) => ({ message, signature })));
}
async function findCosigners(note, { witnesses }) {
    const valid = await Promise.all(witnesses.map((witness) => isAnyValid(witness, cosignaturesOf(note, witness))));
    return witnesses.filter((_, at) => valid[at]);
}
async function isWitnessed(note, policy) {
    return isQuorum(await findCosigners(note, policy), policy);
}
async function isAnyValid({ publicKey }, signed) {
    if (signed.length === 0)
        return false;
    const key = await crypto.subtle
        .importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify'])
        .catch(() => undefined);
    if (!key)
        return false;
    for (const { message, signature } of signed)
        if (await crypto.subtle.verify('Ed25519', key, signature, message))
            return true;
    return false;
}
const PROOF_HEADER = 'c2sp.org/tlog-proof@v1';
const INDEX = /^index (0|[1-9]\d{0,14})$/;
async function verifyReceipt(receipt, { key, policy }) {
    const verifier = parseVerifier(key);
    if (!verifier)
        throw new TypeError('the key is not a verifier key: name+id+key');
    const fails = (fault) => ({ holds: false, fault });
    const { checkpoint: note, index } = receipt;
    const checkpoint = parseCheckpoint(note);
    if (!checkpoint)
        return fails('the checkpoint is malformed');
    if (checkpoint.origin !== verifier.name)
        return fails(`the checkpoint is of ${checkpoint.origin}, not of ${verifier.name}`);
    if (!(await isSigned(note, verifier)))
        return fails('the checkpoint is not signed by the key');
    if (policy && !(await isWitnessed(note, policy)))
        return fails('too few witnesses have cosigned the checkpoint');
    const proof = receipt.proof.map(fromBase64).filter((hash) => hash?.length === HASH_BYTES);
    if (proof.length !== receipt.proof.length)
        return fails('the proof is malformed');
    const text = encodeText(receipt.entry);
    const root = rootOfProof(hashLeaf(text), { index, size: checkpoint.size, proof });
    if (!root || !isEqual(root, checkpoint.root))
        return fails('the proof does not lead from the entry to the checkpoint');
    const entry = readEntry(text);
    return 'fault' in entry ? fails(`the entry ${entry.fault}`) : { holds: true, entry, checkpoint };
}
function parseProof(text) {
    const end = text.indexOf('\n\n');
    const [header, extra, place, ...proof] = text.slice(0, Math.max(end, 0)).split('\n');
    const entry = extra?.startsWith('extra ') ? fromBase64(extra.slice('extra '.length)) : undefined;
    const index = INDEX.exec(place ?? '')?.[1];
    if (header !== PROOF_HEADER || !entry || index === undefined)
        return undefined;
    return { entry: decodeText(entry), index: Number(index), checkpoint: text.slice(end + 2), proof };
}
export { verifyReceipt };
