/** Why an order that only pays is no sale: it was matched with an order whose log is missing. */
export const LONE_PAYER = "pays in a match, and the order that it was matched with is missing";
