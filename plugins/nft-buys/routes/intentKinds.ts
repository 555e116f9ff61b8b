/** What this plugin's routes show of a profile's intents. */
export const intentKinds: readonly string[] = ["nft_buy", "nft_offer"];
