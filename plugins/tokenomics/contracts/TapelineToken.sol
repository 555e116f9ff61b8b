// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// A fixed supply that only burning changes; nobody owns the contract.
contract TapelineToken is ERC20, ERC20Burnable, ERC20Permit {
	constructor(address to, uint256 supply) ERC20("Tapeline", "TAPE") ERC20Permit("Tapeline") {
		_mint(to, supply);
	}
}
