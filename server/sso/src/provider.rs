//! The settings of a provider, and the values of one sign-in.

/// The software of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    OpenIdConnect,
    GitHub,
}

#[derive(Clone)]
pub struct ProviderSettings {
    pub protocol: Protocol,
    /// Of GitHub: the address of the server.
    pub issuer_url: String,
    pub client_id: String,
    pub client_secret: String,
}

/// One sign-in. All values but the redirect URL are random, and used only once.
#[derive(Clone, Copy)]
pub struct Flow<'a> {
    pub state: &'a str,
    pub nonce: &'a str,
    /// 43 to 128 characters.
    pub pkce_verifier: &'a str,
    pub redirect_url: &'a str,
}
