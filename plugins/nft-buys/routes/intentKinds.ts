/** The kinds of intents that this plugin's routes show. */
export const intentKinds: readonly string[] = ["nft_buy", "nft_offer"];
