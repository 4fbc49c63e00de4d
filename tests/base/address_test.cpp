#include "base/address.h"

#include <gtest/gtest.h>

namespace {

using base::Address;

TEST(Address, HasFourOrSixteenBytes) {
  EXPECT_EQ(Address::parse("192.0.2.1").bytes, std::string("\xC0\0\2\1", 4));
  EXPECT_EQ(Address::parse("2001:db8::1").bytes.size(), 16U);
}

TEST(Address, Ipv4WithinIpv6IsIpv4) {
  EXPECT_EQ(Address::parse("::ffff:192.0.2.1"), Address::parse("192.0.2.1"));
}

TEST(Address, WhatIsNoAddressHasNoBytes) {
  for (const char* text : {"", "192.0.2", "192.0.2.1:80", "[::1]", "unix:", "1.2.3.4, 5.6.7.8"}) {
    EXPECT_EQ(Address::parse(text).bytes, "") << text;
    EXPECT_EQ(Address::parse(text).network(), "") << text;
  }
  EXPECT_EQ(Address::parse(std::string(100'000, '1')).bytes, "");
  EXPECT_EQ(Address::parse(std::string("192.0.2.1\0x", 11)).bytes, "");
}

TEST(Address, NetworkIsWhatOneSubscriberHas) {
  const Address one = Address::parse("2001:db8:0:1::1");
  EXPECT_EQ(one.network(), Address::parse("2001:db8:0:1:ffff::2").network());
  EXPECT_NE(one.network(), Address::parse("2001:db8:0:2::1").network());
  EXPECT_EQ(Address::parse("192.0.2.1").network().size(), 4U);
}

TEST(Address, NetworksAreAddressesWithANumberOfBits) {
  for (const char* text : {"192.0.2.1", "192.0.2.0/24", "0.0.0.0/0", "192.0.2.1/32",
                           "2001:db8::", "2001:db8::/32", "::1/128"}) {
    EXPECT_TRUE(base::Network::parse(text)) << text;
  }
  for (const char* text :
       {"", "/", "/24", "192.0.2.0/", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/2x",
        "192.0.2.0/24/8", "2001:db8::/129", "example.org/24", "192.0.2.0/99999999999999999999"}) {
    EXPECT_FALSE(base::Network::parse(text)) << text;
  }
}

TEST(Address, NetworksContainWhatSharesTheirLeadingBits) {
  const auto contains = [](const char* network, const char* address) {
    return base::Network::parse(network).value().contains(Address::parse(address));
  };
  for (const auto& [network, address] : {std::pair("192.0.2.1", "192.0.2.1"),
                                         {"192.0.2.0/24", "192.0.2.255"},
                                         {"192.0.2.9/24", "192.0.2.1"},
                                         {"192.0.2.128/25", "192.0.2.128"},
                                         {"192.0.2.4/31", "192.0.2.5"},
                                         {"0.0.0.0/0", "203.0.113.9"},
                                         {"192.0.2.0/24", "::ffff:192.0.2.1"},
                                         {"2001:db8::/32", "2001:db8:ffff::1"},
                                         {"2001:db8::/33", "2001:db8:7fff::1"},
                                         {"::/0", "2001:db8::1"}}) {
    EXPECT_TRUE(contains(network, address)) << network << ' ' << address;
  }
  for (const auto& [network, address] : {std::pair("192.0.2.1", "192.0.2.2"),
                                         {"192.0.2.0/24", "192.0.3.0"},
                                         {"192.0.2.128/25", "192.0.2.127"},
                                         {"192.0.2.4/31", "192.0.2.6"},
                                         {"0.0.0.0/0", "2001:db8::1"},
                                         {"0.0.0.0/0", ""},
                                         {"::/0", "192.0.2.1"},
                                         {"2001:db8::/33", "2001:db8:8000::1"}}) {
    EXPECT_FALSE(contains(network, address)) << network << ' ' << address;
  }
}

TEST(Address, LoopbackIsAllOf127AndOneOfIpv6) {
  EXPECT_TRUE(Address::parse("127.0.0.1").is_loopback());
  EXPECT_TRUE(Address::parse("127.9.9.9").is_loopback());
  EXPECT_TRUE(Address::parse("::1").is_loopback());
  EXPECT_TRUE(Address::parse("::ffff:127.0.0.1").is_loopback());
  EXPECT_FALSE(Address::parse("128.0.0.1").is_loopback());
  EXPECT_FALSE(Address::parse("::2").is_loopback());
  EXPECT_FALSE(Address::parse("").is_loopback());
}

}  // namespace
