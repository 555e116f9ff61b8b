import type { KeyObject } from "node:crypto";

/** Where keys for access tokens come from; null where no key fits the token's `kid`. */
export type KeySource = (keyId: string | null) => Promise<KeyObject | null>;
