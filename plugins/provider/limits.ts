/** What the adapter calls itself in `members.provider`. */
export const PROVIDER_ID = "opensea";

/** Where a key alone leads. */
export const PROVIDER_BASE_URL_DEFAULT = "https://api.opensea.io";
